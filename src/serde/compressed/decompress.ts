import { DeserializationError } from "../../errors/index.js";
import { type Codec, SYNC_BYTES } from "./codecs.js";
import { type Frame, unpackFrame } from "./frame.js";

/**
 * Decompresses the output of `compress`. It never allocates more than the length that the header states, and refuses the value at
 * once if that length exceeds `maxBytes`, alone or together with the other values of the read.
 *
 * @param read - the object that identifies the read, where known
 * @throws {@link DeserializationError} for a value that is too long, changed or truncated
 */
export async function decompress(
  codec: Codec,
  bytes: Uint8Array,
  maxBytes: number,
  read?: object,
): Promise<Uint8Array> {
  const frame = unpackFrame(bytes);
  if (frame === undefined)
    throw new DeserializationError("the value can't be decompressed: it is not a compressed value");
  if (frame.length > maxBytes)
    throw new DeserializationError(
      `the value can't be decompressed: it is ${frame.length} bytes long, and the bound is ${maxBytes}`,
    );
  if (read !== undefined) countExpansion(read, frame.length, bytes.length, maxBytes);
  const data = await inflate(codec, frame);
  if (frame.isOf(data)) return data;
  throw new DeserializationError("the value can't be decompressed: it was changed or cut short");
}

async function inflate(codec: Codec, { stream, length }: Frame): Promise<Uint8Array> {
  const limit = { maxOutputLength: Math.max(length, 1) };
  const isShort = Math.max(length, stream.length) <= SYNC_BYTES;
  try {
    return isShort ? codec.decompressSync(stream, limit) : await codec.decompress(stream, limit);
  } catch (cause) {
    const problem = isTooLong(cause)
      ? `it is longer than the ${length} bytes that its header states`
      : String(cause);
    throw new DeserializationError(`the value can't be decompressed: ${problem}`, { cause });
  }
}

function isTooLong(cause: unknown): boolean {
  return (
    typeof cause === "object" && cause !== null && "code" in cause && cause.code === "ERR_BUFFER_TOO_LARGE"
  );
}

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
function countExpansion(read: object, length: number, stored: number, maxBytes: number): void {
  const expansion = (expansions.get(read) ?? 0) + Math.max(0, length - UNCOUNTED_RATIO * stored);
  if (expansion > maxBytes)
    throw new DeserializationError(
      `the value can't be decompressed: the values that are read together would be ${expansion} bytes longer than ` +
        `${UNCOUNTED_RATIO} times what is stored, and the bound is ${maxBytes}; read fewer at a time, or raise maxDecompressedBytes`,
    );
  expansions.set(read, expansion);
}
