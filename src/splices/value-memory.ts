import type { ChainedValue } from "./value-chain.js";

/** Identifies a checkpoint. */
interface RememberedKey {
  readonly threadId: string;
  readonly checkpointNs: string;
  readonly checkpointId: string;
}

/** The values of a checkpoint by channel. */
export type ChainedValues = ReadonlyMap<string, ChainedValue>;

/** Receives how a memory is used. */
export interface MemoryListener {
  /** Called when a value was written: the value before it was remembered, or not. */
  onLookup(isHit: boolean): void;
  /** Called when the memory takes so many bytes more, or less if negative. */
  onResize(bytes: number): void;
}

/** The estimated bytes of one entry, one value, one base and one segment, apart from the bytes of the value. */
const ENTRY_BYTES = 300;
const VALUE_BYTES = 300;
const BASE_BYTES = 200;
const SEGMENT_BYTES = 80;

interface Entry {
  readonly threadId: string;
  readonly values: ChainedValues;
  readonly bytes: number;
}

/**
 * The newest values that a saver has read or written, with which the next ones are compared. It has a limit in bytes, and gives up
 * what was not used for the longest time. What it lacks costs space in the database, and is never needed for a correct result.
 */
export class ValueMemory {
  readonly #maxBytes: number;
  readonly #listener: MemoryListener | undefined;
  /** By {@link keyOf}, the one that was used last at the end. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor(maxBytes: number, listener?: MemoryListener) {
    this.#maxBytes = maxBytes;
    this.#listener = listener;
  }

  /** The bytes that the memory takes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The values of a checkpoint that are remembered. */
  valuesOf(key: RememberedKey): ChainedValues | undefined {
    const id = keyOf(key);
    const entry = this.#entries.get(id);
    if (entry === undefined) return undefined;
    this.#entries.delete(id);
    this.#entries.set(id, entry);
    return entry.values;
  }

  /** Counts a value that was compared with a remembered one, or could not be. */
  countLookup(isHit: boolean): void {
    this.#listener?.onLookup(isHit);
  }

  /**
   * Remembers the values of a stored checkpoint. Values that don't fit are left out, the longest first.
   *
   * @param parent - The checkpoint that this one follows. It is forgotten, since runs continue the newest.
   */
  remember(key: RememberedKey, values: ChainedValues, parent?: RememberedKey): void {
    if (parent !== undefined) this.forget(parent);
    this.forget(key);
    const shortestFirst = [...values].sort(([, a], [, b]) => a.bytes.length - b.bytes.length);
    const kept = new Map<string, ChainedValue>();
    let bytes = ENTRY_BYTES;
    for (const [channel, value] of shortestFirst) {
      bytes += bytesOf(value);
      if (bytes > this.#maxBytes) break;
      kept.set(channel, value);
    }
    if (kept.size === 0) return;
    this.#add(keyOf(key), { threadId: key.threadId, values: kept, bytes: sizeOf(kept) });
  }

  forget(key: RememberedKey): void {
    this.#delete(keyOf(key));
  }

  /** Forgets all checkpoints of a thread. */
  forgetThread(threadId: string): void {
    for (const [id, entry] of this.#entries) if (entry.threadId === threadId) this.#delete(id);
  }

  /** Forgets everything. */
  clear(): void {
    for (const id of [...this.#entries.keys()]) this.#delete(id);
  }

  #add(id: string, entry: Entry): void {
    this.#entries.set(id, entry);
    this.#resize(entry.bytes);
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#delete(oldest);
    }
  }

  #delete(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#entries.delete(id);
    this.#resize(-entry.bytes);
  }

  #resize(bytes: number): void {
    this.#bytes += bytes;
    this.#listener?.onResize(bytes);
  }
}

function sizeOf(values: ChainedValues): number {
  return [...values.values()].reduce((sum, value) => sum + bytesOf(value), ENTRY_BYTES);
}

function bytesOf({ bytes, bases }: ChainedValue): number {
  return bases.reduce(
    (sum, { segments }) => sum + BASE_BYTES + segments.length * SEGMENT_BYTES,
    VALUE_BYTES + bytes.byteLength,
  );
}

// Text in Postgres contains no U+0000, so two different keys never give the same text.
function keyOf({ threadId, checkpointNs, checkpointId }: RememberedKey): string {
  return [threadId, checkpointNs, checkpointId].join("\0");
}
