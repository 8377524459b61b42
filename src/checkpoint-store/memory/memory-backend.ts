import type { CheckpointBackend } from "../model/backend.js";
import {
  compareRecords,
  isSameRecord,
  type RecordRange,
  type RecordScope,
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
    const stored = this.#records.get(record.id);
    if (
      onlyNewer &&
      stored !== undefined &&
      record.version <= stored.version &&
      !isSameRecord(record, stored)
    ) {
      return stored.version;
    }
    this.#records.set(record.id, record);
    if (keepLast === undefined) return undefined;
    for (const { id } of this.#newestFirst(keepLast.scope).slice(keepLast.count)) {
      if (id !== record.id) this.#records.delete(id);
    }
    return undefined;
  }

  #newestFirst(scope: RecordScope): StoredRecord[] {
    return [...this.#records.values()]
      .filter((record) => scopesOf(record).some(({ by, id }) => by === scope.by && id === scope.id))
      .sort((one, other) => compareRecords(other, one));
  }
}
