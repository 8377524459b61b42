import { expect, it } from "@jest/globals";
import {
  BackendCheckpointStore,
  type RecordRange,
  type RecordScope,
  type RefusingRecord,
  type SaveManyRules,
  type SaveRules,
  type StoredRecord,
} from "../../src/checkpoint-store/index.js";
import { MemoryBackend } from "../../src/checkpoint-store/memory-checkpoint-store.js";
import { checkpointStoreSuite } from "../../src/conformance/index.js";

class Unsorted extends MemoryBackend {
  override async list(scope: RecordScope, range: RecordRange): Promise<readonly StoredRecord[]> {
    const records = [...(await super.list(scope, range))];
    return records.sort((one, other) => (one.id < other.id ? -1 : 1));
  }
}

class SortedByUtf16 extends MemoryBackend {
  override async list(scope: RecordScope, { limit, order }: RecordRange): Promise<readonly StoredRecord[]> {
    const records = await super.list(scope, { limit: undefined, order: "asc" });
    const sorted = [...records].sort(
      (one, other) =>
        one.timestamp.getTime() - other.timestamp.getTime() ||
        one.version - other.version ||
        (one.id < other.id ? -1 : 1),
    );
    return (order === "asc" ? sorted : sorted.reverse()).slice(0, limit);
  }
}

class WithoutTrimming extends MemoryBackend {
  override save(record: StoredRecord, rules: SaveRules): Promise<number | undefined> {
    return super.save(record, { ...rules, keepLast: undefined });
  }
}

class WithoutVersions extends MemoryBackend {
  override save(record: StoredRecord, rules: SaveRules): Promise<number | undefined> {
    return super.save(record, { ...rules, onlyNewer: false });
  }
}

class SavingOneByOne extends MemoryBackend {
  override async saveMany(
    records: readonly StoredRecord[],
    { onlyNewer }: SaveManyRules,
  ): Promise<RefusingRecord | undefined> {
    for (const record of records) {
      const version = await super.save(record, { onlyNewer, keepLast: undefined });
      if (version !== undefined) return { id: record.id, version };
    }
    return undefined;
  }
}

class ReplacingOnlyTheState extends MemoryBackend {
  override async save(record: StoredRecord, rules: SaveRules): Promise<number | undefined> {
    const stored = await super.load(record.id);
    return super.save(stored === undefined ? record : { ...stored, state: record.state }, rules);
  }
}

class FailingOnMissing extends MemoryBackend {
  override async delete(id: string): Promise<boolean> {
    if (await super.delete(id)) return true;
    throw new Error(`checkpoint not found: ${id}`);
  }
}

class WithSeconds extends MemoryBackend {
  override save(record: StoredRecord, rules: SaveRules): Promise<number | undefined> {
    const seconds = Math.floor(record.timestamp.getTime() / 1_000);
    return super.save({ ...record, timestamp: new Date(seconds * 1_000) }, rules);
  }
}

// What stores of checkpoints really get wrong, with a promise that each of them breaks.
it.each([
  ["lists are not sorted", Unsorted, "a list is sorted by time"],
  [
    "ids are sorted by UTF-16",
    SortedByUtf16,
    "checkpoints of the same time and version are sorted by the bytes of their ids",
  ],
  [
    "keepLast is ignored",
    WithoutTrimming,
    "keepLast keeps the newest of the execution, with the one that is saved",
  ],
  [
    "versions are not compared",
    WithoutVersions,
    "optimistic: a version that is not larger is refused by CheckpointVersionError, and nothing changes",
  ],
  [
    "saveMany saves one by one",
    SavingOneByOne,
    "optimistic: saveMany is refused as a whole by one newer checkpoint, and a repetition passes",
  ],
  [
    "a save replaces only the state",
    ReplacingOnlyTheState,
    "a save moves a checkpoint to another execution and another thread",
  ],
  [
    "a deletion of nothing fails",
    FailingOnMissing,
    "to delete what does not exist is no error, and returns false",
  ],
  [
    "times lose their milliseconds",
    WithSeconds,
    "a time is read back with its milliseconds: with milliseconds",
  ],
])("the suite finds that %s", async (_, Backend, broken) => {
  const cases = checkpointStoreSuite((options) =>
    Promise.resolve({ store: new BackendCheckpointStore(new Backend(), options) }),
  );
  const chosen = cases.filter(({ name }) => name === broken);
  expect(chosen).toHaveLength(1);
  for (const { run } of chosen) await expect(run()).rejects.toThrow();
});

it("no two cases of the suite have the same name", () => {
  const names = checkpointStoreSuite(() => Promise.reject(new Error("not called"))).map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});
