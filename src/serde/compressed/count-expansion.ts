import { DeserializationError } from "../../errors/index.js";

/** What is decompressed to no more than so many times its length is not counted: text and JSON rarely are. */
const UNCOUNTED_RATIO = 16;

const expansions = new WeakMap<object, number>();

/**
 * Counts what a value is longer than sixteen times the bytes that it is decompressed from, together with the values that are read with
 * it. So a read takes no more memory than in proportion to what the database sends, and `maxBytes` beside that.
 *
 * @param read - The same object for all values that are read together.
 * @param length - What the value says it is decompressed to, in bytes.
 * @param stored - What it is decompressed from, in bytes.
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
