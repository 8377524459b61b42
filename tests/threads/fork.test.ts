import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { DeltaSnapshot, TASKS } from "@langchain/langgraph-checkpoint";
import {
  CheckpointNotFoundError,
  CheckpointTooLargeError,
  DeserializationError,
  InvalidConfigError,
  PostgresSaver,
  ThreadDeletedError,
} from "../../src/index.js";
import { AesGcmSerializer, JsonSerializer, MsgpackSerializer } from "../../src/serde/index.js";
import {
  allVersions,
  checkpointOf,
  metadataOf,
  newThread,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { describeAnyTarget, onOneServer, type TestDatabase } from "../../test-support/targets.js";
import { rowsOf } from "../../test-support/thread-rows.js";
import { NO_ROW_SECURITY, openTenancy } from "../tenants/tenancy.js";
import { LAYOUTS, openLayout } from "./layouts.js";

const KEYS = { keys: [{ id: "1", key: new Uint8Array(32).fill(7) }] };
const VALUES = { messages: ["a"], count: 1, title: "t", none: null };

describeAnyTarget("fork", (target) => {
  describe.each(LAYOUTS)("on %s", (layout) => {
    let saver: PostgresSaver;
    beforeAll(async () => {
      ({ saver } = await openLayout(target, layout));
    });
    afterAll(() => saver.end());

    it("sets the given values, shares the others, and becomes the newest checkpoint", async () => {
      const thread = newThread();
      const first = await putValues(saver, threadConfig(thread), VALUES);
      await saver.putWrites(first.config, [["messages", "b"]], "task");
      await putValues(saver, first.config, { messages: ["a", "b"] }, first.checkpoint);
      const config = await saver.fork(first.config, { values: { count: 2, added: [new Date(0)] } });
      const tuple = await saver.getTuple(threadConfig(thread));
      expect(tuple?.config).toEqual(config);
      expect(tuple?.checkpoint.channel_values).toEqual({ ...VALUES, count: 2, added: [new Date(0)] });
      expect(tuple?.pendingWrites).toEqual([]);
      const { channel_versions: before } = first.checkpoint;
      const { channel_versions: after } = tuple?.checkpoint ?? first.checkpoint;
      expect(after).toMatchObject({ messages: before.messages, title: before.title, none: before.none });
      expect(after.count).toBe(after.added);
      expect(String(after.added) > String(before.count)).toBe(true);
    });

    it("forks the newest checkpoint of the namespace when no id is given", async () => {
      const inner = threadConfig(newThread(), { checkpoint_ns: "inner:1" });
      const { config } = await putValues(saver, inner, VALUES);
      const fork = await saver.fork(inner);
      expect(fork.configurable?.checkpoint_ns).toBe("inner:1");
      expect((await saver.getTuple(fork))?.parentConfig).toEqual(config);
    });

    it("refuses an unknown checkpoint", async () => {
      const thread = newThread();
      await expect(saver.fork(threadConfig(thread))).rejects.toThrow(CheckpointNotFoundError);
      const { config } = await putValues(saver, threadConfig(thread), VALUES);
      await expect(saver.rollback(thread, "no such id")).rejects.toMatchObject({
        code: "CHECKPOINT_NOT_FOUND",
        threadId: thread,
        checkpointId: "no such id",
      });
      const elsewhere = { checkpointNs: "elsewhere" };
      await expect(
        saver.rollback(thread, config.configurable?.checkpoint_id as string, elsewhere),
      ).rejects.toThrow(CheckpointNotFoundError);
    });

    it("stores the sends of a checkpoint before format 4, which are its parent's writes", async () => {
      const thread = newThread();
      const parent = await putValues(saver, threadConfig(thread), VALUES);
      await saver.putWrites(
        parent.config,
        [
          [TASKS, "send 1"],
          [TASKS, "send 2"],
        ],
        "task",
      );
      const checkpoint = { ...checkpointOf(saver, {}, parent.checkpoint), v: 3 };
      const old = await saver.put(parent.config, checkpoint, metadataOf(), {});
      const before = (await saver.getTuple(old))?.checkpoint;
      const fork = (await saver.getTuple(await saver.fork(old)))?.checkpoint;
      expect(fork?.v).toBe(4);
      expect(fork?.channel_values).toEqual(before?.channel_values);
      expect(fork?.channel_values[TASKS]).toEqual(["send 1", "send 2"]);
    });

    it("keeps the application's metadata, and does not belong to the target's run", async () => {
      const thread = newThread();
      const checkpoint = checkpointOf(saver, VALUES);
      const own = { user_id: thread, tags: ["a"], delta_writes_versioned: true };
      const metadata = metadataOf(3, { ...own, run_id: "r1", writes: { agent: "b" } });
      const config = await saver.put(threadConfig(thread), checkpoint, metadata, allVersions(checkpoint));
      const expected = { ...own, source: "fork", step: 4, parents: {} };
      const forks = [
        await saver.rollback(thread, checkpoint.id),
        await saver.fork(config, { values: { count: 2 } }),
      ];
      for (const fork of forks) expect((await saver.getTuple(fork))?.metadata).toEqual(expected);
      const found = await saver.listThreads({ filter: { user_id: thread } });
      expect(found).toMatchObject([{ threadId: thread, metadata: expected }]);
      expect(await saver.deleteForRuns(["r1"])).toMatchObject({ checkpoints: 1 });
      expect((await saver.getTuple(threadConfig(thread)))?.checkpoint.channel_values.count).toBe(2);
    });

    it("recognizes a delta channel by its snapshot when no metadata counts it, and by no other thread", async () => {
      const [thread, other] = [newThread(), newThread()];
      const parent = await putValues(saver, threadConfig(thread), { delta: new DeltaSnapshot(["a"]) });
      const checkpoint = checkpointOf(saver, { delta: undefined }, parent.checkpoint);
      const updated = { ...checkpoint, channel_values: {} };
      const metadata = { ...metadataOf(1), source: "update" as const };
      const config = await saver.put(parent.config, updated, metadata, allVersions(checkpoint));
      // It has the same ids, and no write that the fork would have to leave out.
      await saver.copyThread(thread, other);
      await saver.putWrites(config, [["delta", ["b"]]], "task");
      await expect(saver.fork(config)).rejects.toMatchObject({ field: "options.reducers.delta" });
      const fork = await saver.fork(threadConfig(other, { checkpoint_id: checkpoint.id }));
      expect((await saver.getTuple(fork))?.parentConfig?.configurable).toMatchObject({ thread_id: other });
    });

    it("is newer than a checkpoint from a clock that is ahead", async () => {
      const thread = newThread();
      const { config, checkpoint } = await putValues(saver, threadConfig(thread), VALUES);
      const ahead = {
        ...checkpointOf(saver, { a: [1] }, checkpoint),
        id: "fef0a2c9-4b7d-6c3e-8f21-0242ac120002",
      };
      await saver.put(config, ahead, metadataOf(), allVersions(ahead));
      const back = await saver.rollback(thread, checkpoint.id);
      // Of a part, since no run could continue from it, and a read for one is refused.
      expect((await saver.getTuple(threadConfig(thread), { values: false }))?.config).toEqual(back);
    });

    it("continues the versions of its thread, also when they are numbers", async () => {
      const { config, checkpoint } = await putValues(saver, threadConfig(newThread()), { a: [1] });
      const numbered = { ...checkpointOf(saver, { a: [2] }, checkpoint), channel_versions: { a: 7 } };
      const next = await saver.put(config, numbered, metadataOf(), { a: 7 });
      const fork = await saver.getTuple(await saver.fork(next, { values: { b: [1] } }));
      expect(fork?.checkpoint.channel_values).toEqual({ a: [2], b: [1] });
      expect(fork?.checkpoint.channel_versions).toEqual({ a: 7, b: expect.any(Number) });
      expect(Number(fork?.checkpoint.channel_versions.b)).toBeGreaterThan(7);
    });
  });

  describe("with the options of its saver", () => {
    let database: TestDatabase;
    const opened: PostgresSaver[] = [];
    beforeAll(async () => {
      database = await target.migratedDatabase();
    });
    afterAll(() => Promise.all(opened.map((saver) => saver.end())));

    function open(
      ...[serde, options]: [serde?: MsgpackSerializer | JsonSerializer | AesGcmSerializer, options?: object]
    ) {
      const saver = new PostgresSaver(database.source, serde, options);
      opened.push(saver);
      return saver;
    }

    it("stores only new values, and reads none", async () => {
      const saver = open();
      const thread = newThread();
      const { config } = await putValues(saver, threadConfig(thread), VALUES);
      await database.query("update checkpoint_blobs set type = 'unknown' where thread_id = $1", [thread]);
      const before = await rowsOf(database, thread);
      await saver.fork(config, { values: { messages: ["new"] } });
      expect(await rowsOf(database, thread)).toEqual({
        checkpoints: before.checkpoints + 1,
        blobs: before.blobs + 1,
        writes: 0,
      });
    });

    it("copies metadata digit for digit, as Python wrote it, and counts its size", async () => {
      const saver = open();
      const { config, checkpoint } = await putValues(saver, threadConfig(newThread()), VALUES);
      const python = '{"user_id": 1234567890123456789, "score": 1.0, "tags": ["a", {"b": null}]}';
      await database.query(
        "update checkpoints set metadata = metadata || $1::text::jsonb where checkpoint_id = $2",
        [python, checkpoint.id],
      );
      const fork = await saver.fork(config);
      const [row] = await database.query<{ metadata: string }>(
        "select metadata::text from checkpoints where checkpoint_id = $1 and metadata @> $2::text::jsonb",
        [fork.configurable?.checkpoint_id, python],
      );
      expect(row?.metadata).toContain('"score": 1.0');
      await database.query(
        "update checkpoints set metadata = jsonb_build_object('long', repeat('x', 5000)) where checkpoint_id = $1",
        [checkpoint.id],
      );
      const small = open(undefined, { maxCheckpointBytes: 4_000 });
      await expect(small.fork(config)).rejects.toThrow(CheckpointTooLargeError);
    });

    it("refuses to restore a deleted thread, and to store a value that is too large", async () => {
      const keeping = open(undefined, { keepTombstones: true });
      const { config } = await putValues(open(), threadConfig(newThread()), VALUES);
      await keeping.fork(config);
      await keeping.deleteThread(config.configurable?.thread_id as string);
      await expect(keeping.fork(config)).rejects.toThrow(CheckpointNotFoundError);
      const late = await putValues(open(), threadConfig(config.configurable?.thread_id as string), VALUES);
      await expect(keeping.fork(late.config)).rejects.toThrow(ThreadDeletedError);
      const small = open(undefined, { maxCheckpointBytes: 2_000 });
      await expect(small.fork(late.config, { values: { a: ["x".repeat(2_000)] } })).rejects.toThrow(
        CheckpointTooLargeError,
      );
    });

    it("can branch in a saver whose other writes must follow the newest checkpoint", async () => {
      const saver = open(undefined, { concurrency: "optimistic" });
      const thread = newThread();
      const first = await putValues(saver, threadConfig(thread), VALUES);
      await putValues(saver, first.config, { messages: [] }, first.checkpoint);
      const back = await saver.rollback(thread, first.checkpoint.id);
      expect((await saver.getTuple(threadConfig(thread)))?.config).toEqual(back);
    });

    it.each([
      ["JSON", () => new JsonSerializer()],
      ["encryption", () => new AesGcmSerializer(new MsgpackSerializer(), KEYS)],
    ])("reads back with %s", async (_name, serde) => {
      const saver = open(serde());
      const { config } = await putValues(saver, threadConfig(newThread()), VALUES);
      const fork = await saver.fork(config, { values: { messages: ["new"] } });
      expect((await saver.getTuple(fork))?.checkpoint.channel_values).toEqual({
        ...VALUES,
        messages: ["new"],
      });
    });

    it("does not make a plaintext value trusted", async () => {
      const strict = open(new AesGcmSerializer(new MsgpackSerializer(), { ...KEYS, strict: true }));
      const { config } = await putValues(open(), threadConfig(newThread()), { admin: true });
      await expect(strict.fork(config)).rejects.toThrow(DeserializationError);
      await strict.fork(config, { values: { admin: false } });
    });

    it("fails to roll back when the newest id is not a UUID", async () => {
      const saver = open();
      const thread = newThread();
      const { config, checkpoint } = await putValues(saver, threadConfig(thread), VALUES);
      const named = { ...checkpointOf(saver, {}, checkpoint), id: "zebra" };
      await saver.put(config, named, metadataOf(), {});
      await expect(saver.rollback(thread, checkpoint.id)).rejects.toThrow(InvalidConfigError);
    });
  });
});

onOneServer(NO_ROW_SECURITY, describeAnyTarget)("threads of several tenants", (target) => {
  it("are visible only to their tenant", async () => {
    const tenancy = await openTenancy(target);
    try {
      const [acme, bolt] = [tenancy.saver("acme"), tenancy.saver("bolt")];
      const { config, checkpoint } = await putValues(acme, threadConfig("acme:1"), VALUES);
      await putValues(bolt, threadConfig("bolt:1"), VALUES);
      await acme.copyThread("acme:1", "acme:2");
      await acme.rollback("acme:2", checkpoint.id);
      expect((await acme.listThreads()).map(({ threadId }) => threadId)).toEqual(["acme:1", "acme:2"]);
      expect((await bolt.listThreads()).map(({ threadId }) => threadId)).toEqual(["bolt:1"]);
      expect((await bolt.history("acme:1")).branches).toEqual([]);
      await expect(bolt.fork(config)).rejects.toThrow(CheckpointNotFoundError);
      expect((await bolt.copyThread("acme:1", "bolt:2")).checkpoints).toBe(0);
    } finally {
      await tenancy.close();
    }
  });
});
