import { BackendCheckpointStore } from "./backend-checkpoint-store.js";
import type { CheckpointStoreOptions } from "./checkpoint-store-options.js";
import type { CheckpointBackend } from "./model/backend.js";
import {
  compareRecords,
  isSameRecord,
  idsBehind,
  isListedBy,
  type RecordRange,
  type RecordScope,
  type RefusingRecord,
  type SaveManyRules,
  type SaveRules,
  trimsOf,
  type StoredRecord,
} from "./model/stored-record.js";

/**
 * A checkpoint store in the memory of this process, for tests and examples. It checks, encodes and sorts as the others do. `end` empties
 * it.
 *
 * @typeParam State - The type of the states. It is checked only where the option `stateSchema` is set.
 *
 * @example
 * ```ts
 * const store = new MemoryCheckpointStore<{ pages: number }>();
 * ```
 */
export class MemoryCheckpointStore<State = unknown> extends BackendCheckpointStore<State> {
  /** @throws InvalidConfigError for an invalid option. */
  constructor(options: CheckpointStoreOptions = {}) {
    super(new MemoryBackend(), options);
  }
}

const PAGE = 100;

/** Keeps records in this process. */
export class MemoryBackend implements CheckpointBackend {
  readonly system = "memory";
  readonly maxTextBytes = Infinity;
  readonly #records = new Map<string, StoredRecord>();

  address(): object {
    return {};
  }

  setup(): Promise<void> {
    return Promise.resolve();
  }

  save(record: StoredRecord, rules: SaveRules): Promise<number | undefined> {
    return Promise.resolve(this.#save([record], rules)?.version);
  }

  saveMany(records: readonly StoredRecord[], rules: SaveManyRules): Promise<RefusingRecord | undefined> {
    return Promise.resolve(this.#save(records, rules));
  }

  check(): Promise<void> {
    return Promise.resolve();
  }

  load(id: string): Promise<StoredRecord | undefined> {
    return Promise.resolve(this.#records.get(id));
  }

  list(scope: RecordScope, { limit, order }: RecordRange): Promise<readonly StoredRecord[]> {
    const newestFirst = this.#newestFirst(scope);
    return Promise.resolve((order === "desc" ? newestFirst : newestFirst.reverse()).slice(0, limit));
  }

  delete(id: string): Promise<boolean> {
    return Promise.resolve(this.#records.delete(id));
  }

  clear(scope: RecordScope): Promise<number> {
    const records = this.#newestFirst(scope);
    for (const { id } of records) this.#records.delete(id);
    return Promise.resolve(records.length);
  }

  count(): Promise<number> {
    return Promise.resolve(this.#records.size);
  }

  async *pages(after: string | undefined): AsyncGenerator<readonly StoredRecord[]> {
    const records = idsBehind(after, this.#records.keys()).flatMap((id) => this.#records.get(id) ?? []);
    for (let first = 0; first < records.length; first += PAGE) {
      yield await Promise.resolve(records.slice(first, first + PAGE));
    }
  }

  close(): Promise<void> {
    this.#records.clear();
    return Promise.resolve();
  }

  // Nothing runs in between.
  #save(
    records: readonly StoredRecord[],
    { onlyNewer, keepLast }: SaveRules | SaveManyRules,
  ): RefusingRecord | undefined {
    const refusing = onlyNewer ? records.map((record) => this.#refusing(record)).find(Boolean) : undefined;
    if (refusing !== undefined) return refusing;
    for (const record of records) this.#records.set(record.id, record);
    for (const { scope, saved, keep } of trimsOf(records, keepLast))
      for (const { id } of this.#newestFirst(scope).slice(keep)) if (id !== saved) this.#records.delete(id);
    return undefined;
  }

  /** Returns the stored record that refuses this one. */
  #refusing(record: StoredRecord): StoredRecord | undefined {
    const stored = this.#records.get(record.id);
    const isNewer = stored === undefined || record.version > stored.version;
    return isNewer || isSameRecord(record, stored) ? undefined : stored;
  }

  #newestFirst(scope: RecordScope): StoredRecord[] {
    return [...this.#records.values()]
      .filter((record) => isListedBy(scope, record))
      .sort((one, other) => compareRecords(other, one));
  }
}
