import { DeserializationError } from "../../errors/index.js";
import { type Codec, SYNC_BYTES } from "./codecs.js";
import { countExpansion } from "./count-expansion.js";
import { type Frame, unpackFrame } from "./frame.js";

/**
 * Decompresses what `compress` made. No more comes out of a value than it says that it is long, and it is refused at
 * once if that is more than `maxBytes`, or too much together with the other values of its read.
 *
 * @param read - what the value is read in, if that is known
 * @throws {@link DeserializationError} for a value that is too long, and for one that was changed or cut short
 */
export async function decompress(
  codec: Codec,
  bytes: Uint8Array,
  maxBytes: number,
  read?: object,
): Promise<Uint8Array> {
  const frame = unpackFrame(bytes);
  if (frame === undefined)
    throw new DeserializationError("the value can't be decompressed: it is no compressed value");
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
    const problem = isTooLong(cause) ? `it is longer than the ${length} bytes that it says` : String(cause);
    throw new DeserializationError(`the value can't be decompressed: ${problem}`, { cause });
  }
}

function isTooLong(cause: unknown): boolean {
  return (
    typeof cause === "object" && cause !== null && "code" in cause && cause.code === "ERR_BUFFER_TOO_LARGE"
  );
}
