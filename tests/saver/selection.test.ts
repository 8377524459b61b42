import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import { InvalidConfigError, PostgresSaver } from "../../src/index.js";
import { AesGcmSerializer, MsgpackSerializer } from "../../src/serde/index.js";
import { collect, newThread, nextId, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";

const VALUES = { messages: ["hello"], title: "a talk", draft: { text: "…" } };

describeAnyTarget("how much is read", (target) => {
  let database: TestDatabase;
  let saver: PostgresSaver;

  beforeAll(async () => {
    database = await target.migratedDatabase();
    saver = new PostgresSaver(database.source);
  });
  afterAll(() => saver.end());

  async function storedThread() {
    const thread = threadConfig(newThread());
    const { config } = await putValues(saver, thread, VALUES);
    await saver.putWrites(config, [["messages", "written"]], nextId());
    return { thread, config };
  }

  /** Reads the same by `getTuple` with the thread and with the id, and by `list`. */
  async function readAll(
    stored: Awaited<ReturnType<typeof storedThread>>,
    options: Parameters<PostgresSaver["getTuple"]>[1],
  ): Promise<(CheckpointTuple | undefined)[]> {
    return [
      await saver.getTuple(stored.thread, options),
      await saver.getTuple(stored.config, options),
      ...(await collect(saver.list(stored.thread, options))),
    ];
  }

  it("is all by default", async () => {
    const read = await readAll(await storedThread(), {});
    expect(read).toHaveLength(3);
    for (const tuple of read) {
      expect(tuple?.checkpoint.channel_values).toEqual(VALUES);
      expect(tuple?.pendingWrites).toEqual([[expect.any(String), "messages", "written"]]);
    }
  });

  it("is header and metadata, including the versions, with values: false", async () => {
    for (const tuple of await readAll(await storedThread(), { values: false })) {
      expect(tuple?.checkpoint.channel_values).toEqual({});
      expect(Object.keys(tuple?.checkpoint.channel_versions ?? {}).sort()).toEqual(
        Object.keys(VALUES).sort(),
      );
      expect(tuple?.metadata).toEqual({ source: "loop", step: 0, parents: {} });
      expect(tuple).not.toHaveProperty("pendingWrites");
    }
  });

  it("is the pending writes without values, where both options are set", async () => {
    for (const tuple of await readAll(await storedThread(), { values: false, writes: true })) {
      expect(tuple?.checkpoint.channel_values).toEqual({});
      expect(tuple?.pendingWrites).toHaveLength(1);
    }
  });

  it("is only the named channels, in the header and in blobs", async () => {
    const stored = await storedThread();
    for (const tuple of await readAll(stored, { channels: ["messages", "title", "no such"] })) {
      expect(tuple?.checkpoint.channel_values).toEqual({ messages: ["hello"], title: "a talk" });
      expect(tuple?.pendingWrites).toHaveLength(1);
    }
    for (const tuple of await readAll(stored, { channels: ["draft"] })) {
      expect(tuple?.checkpoint.channel_values).toEqual({ draft: { text: "…" } });
    }
    for (const tuple of await readAll(stored, { channels: [] })) {
      expect(tuple?.checkpoint.channel_values).toEqual({});
    }
  });

  it("omits the pending writes with writes: false, instead of returning an empty list", async () => {
    for (const tuple of await readAll(await storedThread(), { writes: false })) {
      expect(tuple?.checkpoint.channel_values).toEqual(VALUES);
      expect(tuple).not.toHaveProperty("pendingWrites");
    }
  });

  it("reads only what it returns, so another value that can't be read is no error", async () => {
    const stored = await storedThread();
    await database.query("update checkpoint_blobs set type = 'pickle' where thread_id = $1", [
      stored.thread.configurable?.thread_id,
    ]);
    await expect(saver.getTuple(stored.thread)).rejects.toThrow(/pickle/);
    for (const options of [{ values: false }, { channels: ["title"] }]) {
      expect(await readAll(stored, options)).toHaveLength(3);
    }
  });

  it("omits the sends of old checkpoints when their channel is not selected", async () => {
    const thread = newThread();
    await database.query(
      `insert into checkpoints (thread_id, checkpoint_id, parent_checkpoint_id, checkpoint) values
         ($1, '1', null, '{"v":3,"id":"1","ts":"then"}'), ($1, '2', '1', '{"v":3,"id":"2","ts":"then"}')`,
      [thread],
    );
    const first = threadConfig(thread, { checkpoint_ns: "", checkpoint_id: "1" });
    await saver.putWrites(first, [["__pregel_tasks", "sent"]], nextId());
    const valuesWith = async (options: object) =>
      (await saver.getTuple(threadConfig(thread), options))?.checkpoint.channel_values;
    expect(await valuesWith({})).toEqual({ __pregel_tasks: ["sent"] });
    expect(await valuesWith({ channels: ["__pregel_tasks"] })).toEqual({ __pregel_tasks: ["sent"] });
    expect(await valuesWith({ channels: ["other"] })).toEqual({});
    expect(await valuesWith({ values: false })).toEqual({});
  });

  it.each([
    ["options.values", { values: "no" }],
    ["options.channels", { channels: "messages" }],
    ["options.channels", { channels: ["a"], values: false }],
    ["options.writes", { writes: 1 }],
  ])("is refused when %s can't be used: %j", async (field, options) => {
    const wrong = options as object;
    await expect(saver.getTuple(threadConfig("x"), wrong)).rejects.toMatchObject({ field });
    await expect(collect(saver.list(threadConfig("x"), wrong))).rejects.toBeInstanceOf(InvalidConfigError);
  });

  describe("getChannelValues", () => {
    it("reads the newest value of a channel of many threads, in the order of the request", async () => {
      const [a, b, c] = [newThread(), newThread(), newThread()];
      const first = await putValues(saver, threadConfig(a), { title: "old", log: [1] });
      await putValues(saver, first.config, { title: "new" }, first.checkpoint);
      await putValues(saver, threadConfig(b), { log: [2] });
      await putValues(saver, threadConfig(c), { title: { long: true }, log: [] });
      const read = (channel: string) =>
        saver.getChannelValues({ threadIds: [c, "unknown", a, b, a], channel });
      expect([...(await read("title"))]).toEqual([
        [c, { long: true }],
        [a, "new"],
      ]);
      expect([...(await read("log"))]).toEqual([
        [c, []],
        [a, [1]],
        [b, [2]],
      ]);
      expect(await read("no such")).toEqual(new Map());
      expect(await saver.getChannelValues({ threadIds: [], channel: "log" })).toEqual(new Map());
    });

    it("stays in its namespace", async () => {
      const thread = newThread();
      await putValues(saver, threadConfig(thread), { log: ["root"] });
      await putValues(saver, threadConfig(thread, { checkpoint_ns: "child" }), { log: ["child"] });
      const read = (more: object) => saver.getChannelValues({ threadIds: [thread], channel: "log", ...more });
      expect((await read({})).get(thread)).toEqual(["root"]);
      expect((await read({ checkpointNs: "child" })).get(thread)).toEqual(["child"]);
      expect(await read({ checkpointNs: "other" })).toEqual(new Map());
    });

    it("decrypts each value with the place of its row", async () => {
      const key = { id: "k", key: new Uint8Array(32).fill(7) };
      const serde = new AesGcmSerializer(new MsgpackSerializer(), { keys: [key], strict: true });
      await using encrypting = new PostgresSaver(database.source, serde);
      const threads = [newThread(), newThread()];
      for (const thread of threads) await putValues(encrypting, threadConfig(thread), { owner: thread });
      const owners = await encrypting.getChannelValues({ threadIds: threads, channel: "owner" });
      expect([...owners]).toEqual(threads.map((thread) => [thread, thread]));
      const plain = newThread();
      await putValues(saver, threadConfig(plain), { owner: plain });
      await expect(encrypting.getChannelValues({ threadIds: [plain], channel: "owner" })).rejects.toThrow(
        /not encrypted/,
      );
    });

    it.each([
      ["request.threadIds.0", { threadIds: [""], channel: "a" }],
      ["request.threadIds", { channel: "a" }],
      ["request.channel", { threadIds: ["a"] }],
    ])("refuses a request whose %s can't be used", async (field, request) => {
      const wrong = request as { threadIds: string[]; channel: string };
      await expect(saver.getChannelValues(wrong)).rejects.toMatchObject({ field });
    });
  });
});
