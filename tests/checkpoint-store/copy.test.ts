import { EventEmitter, once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import {
  BackendCheckpointStore,
  type BackendCall,
  type CheckCall,
  CheckpointCopyError,
  copyCheckpoints,
  type CopyProgress,
  type CheckpointBackend,
  createCheckpoint,
  MemoryCheckpointStore,
  type ReadRecord,
  type RecordRange,
  type RecordScope,
  type RefusingRecord,
  type SaveManyRules,
  type SaveRules,
  type StoredRecord,
} from "../../src/checkpoint-store/index.js";
import { AbortError, CheckpointTooLargeError, InvalidConfigError } from "../../src/errors/index.js";
import { AesGcmSerializer, MsgpackSerializer } from "../../src/serde/index.js";

const COUNT = 250;

/** A backend of one's own: that of another store, except for what a test changes. */
class WrappedBackend implements CheckpointBackend {
  readonly system = "wrapped";
  readonly maxTextBytes: number = 1_000;
  protected readonly inner: CheckpointBackend;

  constructor(inner: CheckpointBackend) {
    this.inner = inner;
  }

  address(): object {
    return {};
  }
  setup(call: BackendCall): Promise<void> {
    return this.inner.setup(call);
  }
  save(record: StoredRecord, rules: SaveRules, call: BackendCall): Promise<number | undefined> {
    return this.inner.save(record, rules, call);
  }
  saveMany(
    records: readonly StoredRecord[],
    rules: SaveManyRules,
    call: BackendCall,
  ): Promise<RefusingRecord | undefined> {
    return this.inner.saveMany(records, rules, call);
  }
  check(call: CheckCall): Promise<void> {
    return this.inner.check(call);
  }
  load(id: string, call: BackendCall): Promise<StoredRecord | undefined> {
    return this.inner.load(id, call);
  }
  list(scope: RecordScope, range: RecordRange, call: BackendCall): Promise<readonly ReadRecord[]> {
    return this.inner.list(scope, range, call);
  }
  delete(id: string, call: BackendCall): Promise<boolean> {
    return this.inner.delete(id, call);
  }
  clear(scope: RecordScope, call: BackendCall): Promise<number> {
    return this.inner.clear(scope, call);
  }
  count(call: BackendCall): Promise<number> {
    return this.inner.count(call);
  }
  pages(after: string | undefined, call: BackendCall): AsyncIterable<readonly ReadRecord[]> {
    return this.inner.pages(after, call);
  }
  close(): Promise<void> {
    return this.inner.close();
  }
}

describe("copyCheckpoints", () => {
  const source = new MemoryCheckpointStore();
  const target = new MemoryCheckpointStore();

  beforeEach(async () => {
    for (let n = 0; n < COUNT; n += 1) await source.save(numbered(n));
  });
  afterEach(async () => {
    await source.end();
    await target.end();
  });

  it("copies every checkpoint with its lists, and finds nothing to do when it runs again", async () => {
    const seen: CopyProgress[] = [];
    const report = await copyCheckpoints(source, target, { onProgress: (progress) => seen.push(progress) });
    expect(report).toEqual({
      ...{ total: COUNT, read: COUNT, created: COUNT, replaced: 0, unchanged: 0 },
      after: idOf(COUNT - 1),
    });
    expect(seen.map(({ read }) => read)).toEqual([100, 200, 250]);
    expect(await target.list("e1")).toEqual(await source.list("e1"));
    expect(await target.list({ threadId: "t" })).toEqual(await source.list({ threadId: "t" }));
    const again = await copyCheckpoints(source, target);
    expect(again).toMatchObject({ created: 0, replaced: 0, unchanged: COUNT });
  });

  it("replaces what differs, and keeps what only the target has", async () => {
    await target.save({ ...numbered(3), state: "older" });
    const own = createCheckpoint({ executionId: "own", nodeName: "n", state: 1 });
    await target.save(own);
    expect(await copyCheckpoints(source, target)).toMatchObject({ created: COUNT - 1, replaced: 1 });
    expect(await target.load(idOf(3))).toEqual(await source.load(idOf(3)));
    expect(await target.load(own.id)).toEqual(own);
  });

  it("stores nothing in a dry run, and says what it would do", async () => {
    await target.save(numbered(0));
    await target.save({ ...numbered(1), state: "older" });
    const report = await copyCheckpoints(source, target, { dryRun: true });
    expect(report).toMatchObject({ created: COUNT - 2, replaced: 1, unchanged: 1 });
    expect(await target.backend.count({})).toBe(2);
  });

  it("goes on after an id", async () => {
    const report = await copyCheckpoints(source, target, { after: idOf(199) });
    expect(report).toMatchObject({ read: 50, created: 50, after: idOf(249) });
    expect(await target.backend.count({})).toBe(50);
  });

  it("stops where the target fails, says after which id, and goes on there", async () => {
    const failed = new EventEmitter();
    class FullBackend extends WrappedBackend {
      override async save(record: StoredRecord, rules: SaveRules, call: BackendCall) {
        if (record.id === idOf(149)) {
          await once(failed, "failed");
          await setImmediate();
        }
        if (record.id !== idOf(150)) return super.save(record, rules, call);
        failed.emit("failed");
        throw new Error("disk full");
      }
    }
    const failure = await copyCheckpoints(
      source,
      new BackendCheckpointStore(new FullBackend(target.backend)),
    ).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(CheckpointCopyError);
    expect(failure).toMatchObject({
      code: "COPY_FAILED",
      checkpointId: idOf(150),
      message: `checkpoint "${idOf(150)}" was not copied: disk full`,
      progress: { read: 100, created: 100, after: idOf(99) },
    });
    // A save that had begun before is over.
    expect(await target.load(idOf(149))).toEqual(numbered(149));
    const stored = await target.backend.count({});
    const report = await copyCheckpoints(source, target, { after: idOf(99) });
    expect(report).toMatchObject({ read: 150, created: COUNT - stored });
    expect(await target.list({ threadId: "t" })).toEqual(await source.list({ threadId: "t" }));
  });

  it("stops when its signal aborts, and onProgress has got where to go on", async () => {
    const controller = new AbortController();
    let after: string | undefined;
    const copying = copyCheckpoints(source, target, {
      signal: controller.signal,
      onProgress: (progress) => {
        after = progress.after;
        controller.abort();
      },
    });
    await expect(copying).rejects.toThrow(AbortError);
    expect(after).toBe(idOf(99));
    expect(await target.backend.count({})).toBe(100);
    expect(await copyCheckpoints(source, target, { after })).toMatchObject({ created: 150 });
  });

  it("fails where the target returns something else than was stored", async () => {
    class LossyBackend extends WrappedBackend {
      override save(record: StoredRecord, rules: SaveRules, call: BackendCall): Promise<number | undefined> {
        return super.save({ ...record, state: "null" }, rules, call);
      }
    }
    const lossy = new BackendCheckpointStore(new LossyBackend(target.backend));
    await expect(copyCheckpoints(source, lossy, { maxConcurrency: 1 })).rejects.toThrow(
      `checkpoint "${idOf(0)}" was not copied`,
    );
  });

  it("takes a record as equal whose JSON has another layout", async () => {
    class SortingBackend extends WrappedBackend {
      override async load(id: string, call: BackendCall): Promise<StoredRecord | undefined> {
        const record = await super.load(id, call);
        return record && { ...record, state: sorted(record.state), metadata: sorted(record.metadata ?? "") };
      }
    }
    const sorting = new BackendCheckpointStore(new SortingBackend(target.backend));
    expect(await copyCheckpoints(source, sorting)).toMatchObject({ created: COUNT });
    expect(await copyCheckpoints(source, sorting)).toMatchObject({ unchanged: COUNT });
  });

  it.each(["source", "target"] as const)(
    "fails where the %s has another number than expected",
    async (which) => {
      class LosingBackend extends WrappedBackend {
        #calls = 0;
        override async count(call: BackendCall): Promise<number> {
          return (await super.count(call)) - this.#calls++;
        }
      }
      const losing = (store: MemoryCheckpointStore) =>
        new BackendCheckpointStore(new LosingBackend(store.backend));
      const copying =
        which === "source"
          ? copyCheckpoints(losing(source), target)
          : copyCheckpoints(source, losing(target));
      await expect(copying).rejects.toThrow(`the ${which} has ${COUNT - 1} checkpoints instead of ${COUNT}`);
    },
  );

  it("refuses a checkpoint that the target can't hold before it sends it", async () => {
    await source.save({ ...numbered(0), state: "x".repeat(2_000) });
    const small = new BackendCheckpointStore(new WrappedBackend(target.backend));
    const failure = await copyCheckpoints(source, small).catch((error: unknown) => error);
    expect(failure).toMatchObject({ checkpointId: idOf(0), cause: expect.any(CheckpointTooLargeError) });
  });

  it("copies encrypted states without the key", async () => {
    const serde = new AesGcmSerializer(new MsgpackSerializer(), {
      keys: [{ id: "k", key: Buffer.alloc(32, 1) }],
    });
    const [sealed, copy] = [new MemoryCheckpointStore({ serde }), new MemoryCheckpointStore({ serde })];
    await sealed.save(numbered(0));
    await copyCheckpoints(sealed, copy);
    expect(await copy.load(idOf(0))).toEqual(numbered(0));
  });

  it("refuses itself as the target, and invalid options", async () => {
    await expect(copyCheckpoints(source, source)).rejects.toThrow(InvalidConfigError);
    await expect(copyCheckpoints(source, target, { maxConcurrency: 0 })).rejects.toThrow(InvalidConfigError);
    await expect(copyCheckpoints(source, target, { after: "\0" })).rejects.toThrow(InvalidConfigError);
  });
});

/** Prints an object as JSONB does: with another order of keys, and with blanks. */
function sorted(text: string): string {
  const fields = Object.entries(JSON.parse(text) as object);
  return JSON.stringify(Object.fromEntries(fields.reverse()), undefined, 1);
}

function idOf(n: number): string {
  return `checkpoint_${String(n).padStart(4, "0")}`;
}

function numbered(n: number) {
  return createCheckpoint({
    ...{ id: idOf(n), executionId: `e${n % 3}`, threadId: "t", nodeName: `node ${n}` },
    ...{ state: { n, at: new Date(n) }, version: n, timestamp: new Date(n * 1_000) },
  });
}
