import { type CompressionLayer, CODECS, type Codec, SYNC_BYTES } from "./codecs.js";
import { isObject } from "../objects/inspect-object.js";
import { DeserializationError } from "../../errors/index.js";
import { crc32 } from "node:zlib";

/** Compresses a value, or returns `undefined` if that does not make it smaller. */
export async function compress(codec: Codec, data: Uint8Array): Promise<Uint8Array | undefined> {
  const stream = data.length <= SYNC_BYTES ? codec.compressSync(data) : await codec.compress(data);
  const frame = packFrame(data, stream);
  return frame.length < data.length ? frame : undefined;
}

/**
 * Decompresses the output of {@link compress}. It never allocates more than the length that the header states, and refuses the value at
 * once if that length exceeds `maxBytes`, alone or together with the other values of the read.
 *
 * @param read - the object that identifies the read, where known
 * @throws {@link DeserializationError} for a value that is too long, changed or truncated
 */
export async function decompress(
  layer: CompressionLayer,
  bytes: Uint8Array,
  maxBytes: number,
  read?: object,
): Promise<Uint8Array> {
  const codec = CODECS[layer];
  if (codec === undefined)
    throw new DeserializationError(
      `the value is compressed by ${layer}, which Node.js ${process.version} does not have; run 22.15 or later, or write with another algorithm`,
    );
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
  return isObject(cause) && "code" in cause && cause.code === "ERR_BUFFER_TOO_LARGE";
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

/** The only format. */
const FORMAT = 1;

const HEADER_BYTES = 9;

/**
 * A compressed value as it is stored: the number of the format, the length of the value and its CRC-32, each in four bytes in big
 * endian order, and the output of the algorithm. Neither zstd nor Brotli reliably notices that a part of it is missing.
 */
interface Frame {
  /** The length of the value, in bytes. */
  readonly length: number;
  /** The output of the algorithm. */
  readonly stream: Uint8Array;
  /** Whether these are the bytes that were compressed. */
  readonly isOf: (data: Uint8Array) => boolean;
}

/** The longest value that a frame can hold, in bytes. */
export const MAX_FRAME_LENGTH = 0xffff_ffff;

/** Builds a frame. */
export function packFrame(data: Uint8Array, stream: Uint8Array): Uint8Array {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt8(FORMAT);
  header.writeUInt32BE(data.length, 1);
  header.writeUInt32BE(crc32(data), 5);
  return Buffer.concat([header, stream]);
}

/** Parses a frame, or returns `undefined` for bytes that are not a frame. */
function unpackFrame(bytes: Uint8Array): Frame | undefined {
  if (bytes.length < HEADER_BYTES || bytes[0] !== FORMAT) return undefined;
  const header = new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES);
  const length = header.getUint32(1);
  const checksum = header.getUint32(5);
  return {
    length,
    stream: bytes.subarray(HEADER_BYTES),
    isOf: (data) => data.length === length && crc32(data) === checksum,
  };
}
