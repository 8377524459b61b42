import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { Checkpoint } from "@langchain/langgraph-checkpoint";
import { openDatabase, type OpenedDatabase } from "../../src/db/index.js";
import { ConcurrentModificationError, PostgresSaver } from "../../src/index.js";
import { encodePut, parsePut } from "../../src/saver/codec/encode-call.js";
import { store } from "../../src/saver/storing/store.js";
import type { SaverCall } from "../../src/saver/call/saver-call.js";
import {
  allVersions,
  checkpointOf,
  listIds,
  metadataOf,
  newThread,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { idOf, listCheckpoint, outcomesOf, type Putter, putFrom } from "../../test-support/put-from.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";
import { rowsOf } from "../../test-support/thread-rows.js";

const OPTIMISTIC = { concurrency: "optimistic", retry: false } as const;

describeAnyTarget("a saver with optimistic concurrency", (target) => {
  let database: TestDatabase;
  let saver: PostgresSaver;
  let opened: OpenedDatabase;
  let thread: string;

  beforeAll(async () => {
    database = await target.migratedDatabase();
    saver = new PostgresSaver(database.source, undefined, OPTIMISTIC);
    opened = openDatabase(database.source);
  });
  afterAll(async () => {
    await saver.end();
    await opened.close();
  });
  beforeEach(() => {
    thread = newThread();
  });

  const headOf = async (): Promise<unknown> =>
    (await saver.getTuple(threadConfig(thread)))?.config.configurable?.checkpoint_id;

  it("stores a line of checkpoints like any other saver", async () => {
    const first = await putFrom(saver, "input", threadConfig(thread));
    const second = await putFrom(saver, "loop", first);
    const third = await putFrom(saver, "loop", second);
    expect(await listIds(saver.list(threadConfig(thread)))).toEqual([third, second, first].map(idOf));
    const tuple = await saver.getTuple(third);
    expect(tuple?.parentConfig).toEqual(second);
    expect(tuple?.checkpoint.channel_values).toEqual({ a: ["loop"] });
  });

  it("refuses a put that follows an older checkpoint, names both, and stores nothing", async () => {
    const first = await putFrom(saver, "input", threadConfig(thread));
    const head = await putFrom(saver, "loop", first);
    const before = await rowsOf(database, thread);
    const stale = listCheckpoint(["stale"]);
    const error = await putFrom(saver, "loop", first, stale).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ConcurrentModificationError);
    expect(error).toMatchObject({
      name: "ConcurrentModificationError",
      code: "CONCURRENT_MODIFICATION",
      threadId: thread,
      checkpointNs: "",
      checkpointId: stale.id,
      parentCheckpointId: idOf(first),
      headCheckpointId: idOf(head),
    });
    expect(await rowsOf(database, thread)).toEqual(before);
    expect(await headOf()).toBe(idOf(head));
  });

  it("refuses a put without a parent in a thread that has checkpoints", async () => {
    const first = await putFrom(saver, "input", threadConfig(thread));
    await expect(putFrom(saver, "input", threadConfig(thread))).rejects.toMatchObject({
      code: "CONCURRENT_MODIFICATION",
      parentCheckpointId: undefined,
      headCheckpointId: idOf(first),
    });
    expect((await rowsOf(database, thread)).checkpoints).toBe(1);
  });

  it("accepts one of many puts with the same parent", async () => {
    const first = await putFrom(saver, "input", threadConfig(thread));
    for (const config of [first, threadConfig(newThread())]) {
      const puts = Array.from({ length: 10 }, () => putFrom(saver, "loop", config));
      const { kept, errors } = await outcomesOf(puts);
      expect(kept).toBe(1);
      for (const error of errors) expect(error).toBeInstanceOf(ConcurrentModificationError);
    }
    expect(await rowsOf(database, thread)).toEqual({ checkpoints: 2, blobs: 2, writes: 0 });
  });

  it.each(["fork", "update"] as const)(
    "lets a %s follow any checkpoint, which then is the head",
    async (source) => {
      const first = await putFrom(saver, "input", threadConfig(thread));
      const second = await putFrom(saver, "loop", first);
      const branch = await putFrom(saver, source, first);
      expect(await headOf()).toBe(idOf(branch));
      await expect(putFrom(saver, "loop", second)).rejects.toMatchObject({ headCheckpointId: idOf(branch) });
      const next = await putFrom(saver, "loop", branch);
      expect(await headOf()).toBe(idOf(next));
    },
  );

  it("checks each namespace separately", async () => {
    const first = await putFrom(saver, "input", threadConfig(thread));
    const child = await putFrom(saver, "input", threadConfig(thread, { checkpoint_ns: "child" }));
    await putFrom(saver, "loop", first);
    await putFrom(saver, "loop", child);
    await expect(putFrom(saver, "loop", child)).rejects.toMatchObject({ checkpointNs: "child" });
  });

  it("accepts a stored checkpoint again, as a retry puts it, even when others follow it", async () => {
    const first = await putFrom(saver, "input", threadConfig(thread));
    const checkpoint = listCheckpoint(["again"]);
    await putFrom(saver, "loop", first, checkpoint);
    await putFrom(saver, "loop", first, checkpoint);
    const head = await putFrom(saver, "loop", {
      configurable: { ...first.configurable, checkpoint_id: checkpoint.id },
    });
    await putFrom(saver, "loop", first, checkpoint);
    expect(await headOf()).toBe(idOf(head));
    expect(await rowsOf(database, thread)).toEqual({ checkpoints: 3, blobs: 3, writes: 0 });
  });

  it("accepts the first two checkpoints of a thread in either order, because LangGraph puts them concurrently", async () => {
    const [stub, final] = [listCheckpoint(), listCheckpoint()];
    await putFrom(saver, "loop", threadConfig(thread, { checkpoint_id: stub.id }), final);
    await putFrom(saver, "loop", threadConfig(thread), stub);
    expect(await listIds(saver.list(threadConfig(thread)))).toEqual([final.id, stub.id]);
    await expect(putFrom(saver, "loop", threadConfig(thread))).rejects.toMatchObject({
      headCheckpointId: final.id,
    });
  });

  it("refuses a successor of the head that would not become the head because its id is older", async () => {
    const early = { ...listCheckpoint(["early"]), id: "1" };
    const head = await putFrom(saver, "input", threadConfig(thread));
    await expect(putFrom(saver, "loop", head, early)).rejects.toThrow(`its id "${early.id}" is older`);
    expect((await rowsOf(database, thread)).checkpoints).toBe(1);
  });

  it("accepts writes and deletions whatever the head is", async () => {
    const first = await putFrom(saver, "input", threadConfig(thread));
    await putFrom(saver, "loop", first);
    await saver.putWrites(first, [["a", "late"]], "task");
    expect((await saver.getTuple(first))?.pendingWrites).toEqual([["task", "a", "late"]]);
    await saver.deleteThread(thread);
    expect(await rowsOf(database, thread)).toEqual({ checkpoints: 0, blobs: 0, writes: 0 });
    await putFrom(saver, "input", threadConfig(thread));
  });

  it("does not affect savers without the option", async () => {
    const unchecked = new PostgresSaver(database.source);
    const first = await putFrom(unchecked, "input", threadConfig(thread));
    await putFrom(unchecked, "loop", first);
    const head = await putFrom(unchecked, "loop", first);
    await expect(putFrom(saver, "loop", first)).rejects.toMatchObject({ headCheckpointId: idOf(head) });
    await unchecked.end();
  });

  it("applies where a value takes several statements", async () => {
    const call: SaverCall = {
      database: opened,
      schema: "public",
      policy: { retry: false, limits: { pieceBytes: 64, statementBytes: 256 }, concurrency: "optimistic" },
    };
    const putInPieces = async (config: RunnableConfig): Promise<Checkpoint> => {
      const checkpoint = checkpointOf(saver, { a: ["x".repeat(2_000)], b: ["y".repeat(300)] });
      const request = parsePut({}, config, checkpoint, metadataOf(), allVersions(checkpoint));
      const encoded = await encodePut({ serde: saver.serde }, request);
      await store(call, [{ kind: "put", checkpoint: encoded }]);
      return checkpoint;
    };
    const first = await putInPieces(threadConfig(thread));
    const config = threadConfig(thread, { checkpoint_id: first.id });
    const { kept } = await outcomesOf(Array.from({ length: 6 }, () => putInPieces(config)));
    expect(kept).toBe(1);
    expect(await rowsOf(database, thread)).toEqual({ checkpoints: 2, blobs: 4, writes: 0 });
    expect((await saver.getTuple(threadConfig(thread)))?.checkpoint.channel_values).toMatchObject({
      a: ["x".repeat(2_000)],
    });
  });

  describe("in a batch", () => {
    it("accepts a chain, a branch of it, and a thread that is deleted and started again", async () => {
      const old = await putFrom(saver, "input", threadConfig(thread));
      const head = await saver.batch(async (batch) => {
        const second = await putFrom(batch, "loop", old);
        await putFrom(batch, "loop", second);
        const branch = await putFrom(batch, "fork", old);
        return putFrom(batch, "loop", branch);
      });
      expect(await headOf()).toBe(idOf(head));
      const anew = await saver.batch(async (batch) => {
        await batch.deleteThread(thread);
        return putFrom(batch, "input", threadConfig(thread));
      });
      expect(await listIds(saver.list(threadConfig(thread)))).toEqual([idOf(anew)]);
    });

    it.each<[what: string, fill: (batch: Putter, first: RunnableConfig) => Promise<unknown>]>([
      [
        "two that follow the same checkpoint",
        async (batch, first) => [await putFrom(batch, "loop", first), await putFrom(batch, "loop", first)],
      ],
      [
        "one that goes on past a branch",
        async (batch, first) => {
          const second = await putFrom(batch, "loop", first);
          return [await putFrom(batch, "update", first), await putFrom(batch, "loop", second)];
        },
      ],
      [
        "one of another thread that is stale",
        async (batch, first) => [
          await putFrom(batch, "loop", threadConfig(`${thread} too`)),
          await putFrom(batch, "loop", threadConfig(`${thread} too`)),
          await putFrom(batch, "loop", first),
        ],
      ],
    ])("refuses all of it for %s", async (_what, fill) => {
      const first = await putFrom(saver, "input", threadConfig(thread));
      const other = threadConfig(`${thread} too`);
      const filled = saver.batch((batch) => fill(batch, first));
      await expect(filled).rejects.toBeInstanceOf(ConcurrentModificationError);
      expect(await listIds(saver.list(threadConfig(thread)))).toEqual([idOf(first)]);
      expect(await saver.getTuple(other)).toBeUndefined();
    });
  });
});
