import type { CheckpointBackend } from "../model/backend.js";
import {
  compareRecords,
  isSameRecord,
  newestOfScopes,
  type RecordRange,
  type RecordScope,
  type RefusingRecord,
  type SaveManyRules,
  type SaveRules,
  scopesOf,
  type StoredRecord,
} from "../model/stored-record.js";

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
    return Promise.resolve(this.#save(record, rules));
  }

  saveMany(records: readonly StoredRecord[], rules: SaveManyRules): Promise<RefusingRecord | undefined> {
    return Promise.resolve(this.#saveMany(records, rules));
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
    const start = after === undefined ? undefined : Buffer.from(after);
    const records = [...this.#records.values()]
      .map((record) => ({ record, bytes: Buffer.from(record.id) }))
      .filter(({ bytes }) => start === undefined || Buffer.compare(bytes, start) > 0)
      .sort((one, other) => Buffer.compare(one.bytes, other.bytes))
      .map(({ record }) => record);
    for (let first = 0; first < records.length; first += PAGE) {
      yield await Promise.resolve(records.slice(first, first + PAGE));
    }
  }

  close(): Promise<void> {
    this.#records.clear();
    return Promise.resolve();
  }

  #save(record: StoredRecord, { onlyNewer, keepLast }: SaveRules): number | undefined {
    const refusing = onlyNewer ? this.#refusing(record) : undefined;
    if (refusing !== undefined) return refusing.version;
    this.#records.set(record.id, record);
    if (keepLast !== undefined) this.#trim(keepLast.scope, keepLast.count, record.id);
    return undefined;
  }

  // Nothing runs in between.
  #saveMany(
    records: readonly StoredRecord[],
    { onlyNewer, keepLast }: SaveManyRules,
  ): RefusingRecord | undefined {
    const refusing = onlyNewer ? records.map((record) => this.#refusing(record)).find(Boolean) : undefined;
    if (refusing !== undefined) return refusing;
    for (const record of records) this.#records.set(record.id, record);
    if (keepLast === undefined) return undefined;
    for (const { scope, saved } of newestOfScopes(records)) this.#trim(scope, keepLast, saved);
    return undefined;
  }

  /** Returns the stored record that refuses this one. */
  #refusing(record: StoredRecord): StoredRecord | undefined {
    const stored = this.#records.get(record.id);
    const isNewer = stored === undefined || record.version > stored.version;
    return isNewer || isSameRecord(record, stored) ? undefined : stored;
  }

  #trim(scope: RecordScope, count: number, saved: string): void {
    for (const { id } of this.#newestFirst(scope).slice(count)) if (id !== saved) this.#records.delete(id);
  }

  #newestFirst(scope: RecordScope): StoredRecord[] {
    return [...this.#records.values()]
      .filter((record) => scopesOf(record).some(({ by, id }) => by === scope.by && id === scope.id))
      .sort((one, other) => compareRecords(other, one));
  }
}
