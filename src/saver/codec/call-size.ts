import type { EncodedCheckpoint } from "../queries/encoded-checkpoint.js";
import type { EncodedWrites } from "../queries/put-pending-writes.js";

/** The size of what a call stores, in bytes. */
export interface CallSize {
  /** The whole size. */
  readonly bytes: number;
  /** The size of header and metadata as JSON text. It is 0 for `putWrites`. */
  readonly headerBytes: number;
  /** The size of the encoded values by channel, the largest first. */
  readonly channels: readonly ChannelSize[];
}

/** The size of what a call stores for one channel. */
export interface ChannelSize {
  readonly channel: string;
  readonly bytes: number;
}

/** Returns the size of a call of `put`. */
export function sizeOfCheckpoint({ checkpoint, metadata, blobs }: EncodedCheckpoint): CallSize {
  return callSize(Buffer.byteLength(checkpoint) + Buffer.byteLength(metadata), blobs);
}

/** Returns the size of a call of `putWrites`. */
export function sizeOfWrites({ writes }: EncodedWrites): CallSize {
  return callSize(0, writes);
}

/** Returns the size of encoded values. */
export function bytesOfValues(values: readonly Pick<Value, "blob">[]): number {
  let bytes = 0;
  for (const { blob } of values) bytes += blob?.byteLength ?? 0;
  return bytes;
}

interface Value {
  readonly channel: string;
  readonly blob: Uint8Array | null;
}

function callSize(headerBytes: number, values: readonly Value[]): CallSize {
  const byChannel = new Map<string, number>();
  let bytes = headerBytes;
  for (const { channel, blob } of values) {
    const length = blob?.byteLength ?? 0;
    byChannel.set(channel, (byChannel.get(channel) ?? 0) + length);
    bytes += length;
  }
  const channels = [...byChannel].map(([channel, sum]) => ({ channel, bytes: sum }));
  return { bytes, headerBytes, channels: channels.sort((a, b) => b.bytes - a.bytes) };
}
