import { DeserializationError, isUnreadable } from "../../errors/index.js";
import { countedChannels } from "../../saver/codec/parse-header.js";
import { decodeValue, type ValueReader } from "../../saver/codec/decode-value.js";
import { mayBeEmpty } from "../../saver/codec/special-values.js";
import { type CheckpointKey, checkpointKeyOf, rowKey } from "../../saver/model/keys.js";
import { isPythonTime } from "../../saver/model/checkpoint-time.js";
import { blobPlaceOf, writePlaceOf } from "../../saver/queries/get-value-page.js";
import type {
  ChannelValueContext,
  CheckpointValueContext,
  ContextualSerializer,
} from "../../serde/serde-context.js";
import { isSplice } from "../../splices/splice-type.js";
import { type CheckpointLine, readOwnHeader } from "../backup-line.js";
import type { WholeRow } from "../whole-rows.js";
import { faultsOfBlob, faultsOfWrite } from "../../saver/codec/faults-of-columns.js";
import { type HeldValue, HeldValues } from "./held-values.js";
import type { BackupFault } from "./check-types.js";

type WholeBlob = Extract<WholeRow, { readonly table: "checkpoint_blobs" }>;
type WholeWrite = Extract<WholeRow, { readonly table: "checkpoint_writes" }>;

/** A reference of a checkpoint to a value. */
interface Reference extends CheckpointKey {
  readonly channel: string;
  readonly version: string;
  readonly line: number;
}

/** Checks the rows of one thread, of whose values and checkpoints any may come first. */
export class ThreadCheck {
  readonly #faults: Faults;
  readonly #reader: ValueReader | undefined;
  readonly #values = new HeldValues();
  /** The first reference to each value. */
  readonly #references = new Map<string, Reference>();
  /** The namespaces and channels whose values are rebuilt from writes. */
  readonly #deltaChannels = new Set<string>();
  #decoded = 0;

  constructor(faults: Faults, serde: ContextualSerializer | undefined) {
    this.#faults = faults;
    this.#reader = serde && {
      serde,
      read: {},
      fetch: () => Promise.reject(new Error("a backup has whole values")),
      fetchChain: (place) => Promise.resolve(this.#values.rowsOf(place)),
    };
  }

  /** How many values were decoded. */
  get decoded(): number {
    return this.#decoded;
  }

  async addCheckpoint(row: CheckpointLine, line: number): Promise<void> {
    const key = checkpointKeyOf(row);
    try {
      const { header, metadata } = await readOwnHeader(row, key);
      for (const channel of countedChannels({ metadata }).keys()) {
        this.#deltaChannels.add(rowKey(key.checkpointNs, channel));
      }
      for (const [channel, version] of Object.entries(header.channel_versions ?? {})) {
        if (Object.hasOwn(header.channel_values ?? {}, channel)) continue;
        if (mayBeEmpty({ channel, version, source: metadata.source })) continue;
        // Python's saver stores no row for a channel that has lost its value, and nothing in a backup tells it from a missing one.
        if (isPythonTime(header.ts)) continue;
        this.#refer({ ...key, channel, version: String(version), line });
      }
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      this.#faults.add({ line, ...key, message: error.message });
    }
  }

  async addBlob(row: WholeBlob, line: number): Promise<void> {
    const { type, blob } = row;
    const place = blobPlaceOf(row);
    this.#addFaults(faultsOfBlob(row), place, line);
    // A base of a whole value means nothing: readers look at the type.
    const base = isSplice(type) ? (row.base ?? null) : null;
    const value = { type, blob, base, place, line };
    this.#values.add(value);
    // A splice waits for the values that it is made of.
    if (value.base === null && type !== "empty") await this.#decode(value, place);
  }

  async addWrite(row: WholeWrite, line: number): Promise<void> {
    const { type, blob } = row;
    const place = writePlaceOf(row);
    this.#addFaults(faultsOfWrite(row), place, line);
    await this.#decode({ type, blob, base: null, line }, place);
  }

  /** Checks what needs all rows of the thread. */
  async end(): Promise<void> {
    for (const { line, version, ...key } of this.#references.values()) {
      const { checkpointNs, channel } = key;
      if (this.#values.has({ ...key, version })) continue;
      if (this.#deltaChannels.has(rowKey(checkpointNs, channel))) continue;
      const message = `${nameOf(key)}, checkpoint "${key.checkpointId}": the backup lacks the value at version "${version}"`;
      this.#faults.add({ line, ...key, message });
    }
    for (const value of this.#values.splices()) {
      const { place, line, base } = value;
      const { version: _, ...key } = place;
      if (base !== null && !this.#values.has({ ...place, version: base })) {
        const message = `${nameOf(place)}: the backup lacks version "${base}", which version "${place.version}" is made of`;
        this.#faults.add({ line, ...key, message });
      } else if (this.#values.isComplete(value)) await this.#decode(value, place);
    }
  }

  #refer(reference: Reference): void {
    const key = rowKey(reference.checkpointNs, reference.channel, reference.version);
    if (!this.#references.has(key)) this.#references.set(key, reference);
  }

  async #decode(value: Omit<HeldValue, "place">, place: CheckpointValueContext): Promise<void> {
    if (this.#reader === undefined) return;
    try {
      await decodeValue(this.#reader, value, place, place);
      this.#decoded += 1;
    } catch (error) {
      if (!(error instanceof DeserializationError)) throw error;
      this.#addFault(error.message, place, value.line);
    }
  }

  #addFaults(faults: readonly string[], place: CheckpointValueContext, line: number): void {
    if (faults.length === 0) return;
    const version = "version" in place ? `version "${place.version}"` : `checkpoint "${place.checkpointId}"`;
    this.#addFault(`${nameOf(place)}, ${version}: ${faults.join("; ")}`, place, line);
  }

  #addFault(message: string, place: CheckpointValueContext, line: number): void {
    const { threadId, checkpointNs, channel } = place;
    const checkpoint = "checkpointId" in place && { checkpointId: place.checkpointId };
    this.#faults.add({ line, threadId, checkpointNs, ...checkpoint, channel, message });
  }
}

function nameOf({ threadId, channel }: Pick<ChannelValueContext, "threadId" | "channel">): string {
  return `thread "${threadId}", channel "${channel}"`;
}

const MAX_LISTED = 100;

/** Counts faults, and keeps the first ones. */
export class Faults {
  readonly #listed: BackupFault[] = [];
  #count = 0;

  get listed(): readonly BackupFault[] {
    return this.#listed;
  }

  get count(): number {
    return this.#count;
  }

  add(fault: BackupFault): void {
    this.#count += 1;
    if (this.#listed.length < MAX_LISTED) this.#listed.push(fault);
  }
}
