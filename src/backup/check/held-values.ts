import type { ChainRows, StoredValue } from "../../saver/codec/stored-value.js";
import { rowKey } from "../../saver/model/keys.js";
import type { ChannelValueContext } from "../../serde/serde-context.js";

/** The most bytes of values of a thread that are held for splices. */
const HELD_BYTES = 256 * 2 ** 20;

/** A value of a backup. */
export interface HeldValue extends StoredValue {
  readonly place: ChannelValueContext;
  /** The number of its line. */
  readonly line: number;
}

/** The values of a thread, which splices are made of. Beyond a limit only their keys are remembered. */
export class HeldValues {
  readonly #values = new Map<string, HeldValue | undefined>();
  readonly #most: number;
  #bytes = 0;

  /** @param most - How many bytes are held. */
  constructor(most = HELD_BYTES) {
    this.#most = most;
  }

  add(value: HeldValue): void {
    const bytes = value.blob?.byteLength ?? 0;
    const isHeld = this.#bytes + bytes <= this.#most;
    if (isHeld) this.#bytes += bytes;
    this.#values.set(keyOf(value.place), isHeld ? value : undefined);
  }

  has(place: ChannelValueContext): boolean {
    return this.#values.has(keyOf(place));
  }

  /** The splices that are held. */
  *splices(): Generator<HeldValue> {
    for (const value of this.#values.values()) if (value !== undefined && value.base !== null) yield value;
  }

  /** Whether all that a splice is made of is held, as far as the backup has it. */
  isComplete({ place, base }: HeldValue): boolean {
    const seen = new Set<string>();
    for (let next = base; next !== null && !seen.has(next);) {
      seen.add(next);
      const key = keyOf({ ...place, version: next });
      const value = this.#values.get(key);
      if (value === undefined) return !this.#values.has(key);
      next = value.base;
    }
    return true;
  }

  /** The rows that a splice is made of. */
  rowsOf(place: ChannelValueContext): ChainRows {
    return (version) => this.#values.get(keyOf({ ...place, version }));
  }
}

function keyOf({ checkpointNs, channel, version }: ChannelValueContext): string {
  return rowKey(checkpointNs, channel, version);
}
