import type { EncodedCheckpoint } from "../queries/checkpoint-rows.js";
import type { EncodedWrites } from "../queries/put-pending-writes.js";
import { CheckpointTooLargeError } from "../../errors/index.js";
import type { CheckpointKey } from "../model/keys.js";
import { DailyWarnings } from "../model/daily-warnings.js";

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

const NAMED_CHANNELS = 3;

/** The limits of the size of one call. */
export interface SizeBounds {
  /** A call that stores more bytes is refused. Default: no limit. */
  readonly maxCheckpointBytes?: number | undefined;
  /** A call that stores more bytes emits a warning. Default: half of the limit. */
  readonly warnCheckpointBytes?: number | undefined;
}

/** Checks the size of each call, after it is encoded and before anything is sent. */
export class SizeCheck {
  readonly #maxBytes: number;
  readonly #warnBytes: number;
  readonly #warnings: DailyWarnings;

  /** @param now - Returns the time in milliseconds since 1970. */
  constructor(bounds: SizeBounds, now?: () => number) {
    this.#maxBytes = bounds.maxCheckpointBytes ?? Infinity;
    this.#warnBytes = bounds.warnCheckpointBytes ?? this.#maxBytes / 2;
    this.#warnings = new DailyWarnings({ type: "CheckpointSizeWarning", code: "CHECKPOINT_SIZE" }, now);
  }

  /**
   * Warns of a large call: once per day and namespace, and a hundred times per day in all.
   *
   * @param measure - Called only where there is a limit.
   * @throws CheckpointTooLargeError for a call that would store too much.
   */
  check(key: CheckpointKey, measure: () => CallSize): void {
    if (Math.min(this.#warnBytes, this.#maxBytes) === Infinity) return;
    const size = measure();
    if (size.bytes > this.#maxBytes) throw tooLarge(key, size, this.#maxBytes);
    if (size.bytes > this.#warnBytes)
      this.#warnings.warn(key, () => describe(key, size, `warnCheckpointBytes is ${this.#warnBytes}`));
  }
}

function tooLarge(key: CheckpointKey, size: CallSize, maxBytes: number): CheckpointTooLargeError {
  const { threadId, checkpointNs, checkpointId } = key;
  return new CheckpointTooLargeError(describe(key, size, `maxCheckpointBytes is ${maxBytes}`), {
    bytes: size.bytes,
    maxBytes,
    threadId,
    checkpointNs,
    checkpointId,
    channel: size.channels[0]?.channel,
  });
}

function describe(
  { threadId, checkpointNs, checkpointId }: CheckpointKey,
  size: CallSize,
  bound: string,
): string {
  const parts = size.channels
    .slice(0, NAMED_CHANNELS)
    .map(({ channel, bytes }) => `channel "${channel}" ${bytes} bytes`);
  if (size.headerBytes > 0) parts.push(`header and metadata ${size.headerBytes} bytes`);
  const place = `thread "${threadId}", namespace "${checkpointNs}", checkpoint "${checkpointId}"`;
  return `${place}: ${size.bytes} bytes to store, and ${bound}; the largest: ${parts.join(", ")}`;
}
