import { CheckpointTooLargeError } from "../../errors/index.js";
import type { CheckpointKey } from "../model/checkpoint-key.js";
import type { CallSize } from "./call-size.js";

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Also limits the memory for namespaces that were warned of. */
const MAX_WARNINGS_A_DAY = 100;
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
  readonly #now: () => number;
  #day = Number.NaN;
  readonly #warned = new Set<string>();

  /** @param now - Returns the time in milliseconds since 1970. */
  constructor(bounds: SizeBounds, now: () => number = Date.now) {
    this.#maxBytes = bounds.maxCheckpointBytes ?? Infinity;
    this.#warnBytes = bounds.warnCheckpointBytes ?? this.#maxBytes / 2;
    this.#now = now;
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
    if (size.bytes > this.#warnBytes) this.#warn(key, size);
  }

  #warn(key: CheckpointKey, size: CallSize): void {
    if (this.#wasWarned(JSON.stringify([key.threadId, key.checkpointNs]))) return;
    const isLast = this.#warned.size === MAX_WARNINGS_A_DAY;
    const message = describe(key, size, `warnCheckpointBytes is ${this.#warnBytes}`);
    process.emitWarning(isLast ? `${message}; no further warnings today` : message, {
      type: "CheckpointSizeWarning",
      code: "CHECKPOINT_SIZE",
    });
  }

  #wasWarned(place: string): boolean {
    const day = Math.floor(this.#now() / DAY_MS);
    if (day !== this.#day) this.#warned.clear();
    this.#day = day;
    if (this.#warned.size >= MAX_WARNINGS_A_DAY || this.#warned.has(place)) return true;
    this.#warned.add(place);
    return false;
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
