import { DeserializationError } from "../../errors/index.js";
import { type Codec, SYNC_BYTES } from "./codecs.js";
import { countExpansion } from "./count-expansion.js";
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
