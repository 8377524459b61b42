import { crc32 } from "node:zlib";

/** The only format. */
const FORMAT = 1;
const HEADER_BYTES = 9;

/**
 * A compressed value as it is stored: the number of the format, the length of the value and its CRC-32, each in four bytes in big
 * endian order, and the output of the algorithm. Neither zstd nor Brotli reliably notices that a part of it is missing.
 */
export interface Frame {
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
export function unpackFrame(bytes: Uint8Array): Frame | undefined {
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
