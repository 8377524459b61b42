import { DeserializationError } from "../../errors/index.js";

/** Expansion up to this ratio is not counted. Text and JSON rarely exceed it. */
const UNCOUNTED_RATIO = 16;

const expansions = new WeakMap<object, number>();

/**
 * Adds up by how much the values of one read exceed sixteen times their stored size. So the memory that a read takes is
 * proportional to the bytes that the database sends, plus `maxBytes`.
 *
 * @param read - The object that identifies the read.
 * @param length - The length of the decompressed value, as its header states it, in bytes.
 * @param stored - The length of the stored value, in bytes.
 * @throws {@link DeserializationError} for more than `maxBytes`, before anything is allocated
 */
export function countExpansion(read: object, length: number, stored: number, maxBytes: number): void {
  const expansion = (expansions.get(read) ?? 0) + Math.max(0, length - UNCOUNTED_RATIO * stored);
  if (expansion > maxBytes)
    throw new DeserializationError(
      `the value can't be decompressed: the values that are read together would be ${expansion} bytes longer than ` +
        `${UNCOUNTED_RATIO} times what is stored, and the bound is ${maxBytes}; read fewer at a time, or raise maxDecompressedBytes`,
    );
  expansions.set(read, expansion);
}
