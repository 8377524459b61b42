import { afterAll, beforeAll, expect, it } from "@jest/globals";
import {
  type Checkpoint,
  MemorySaver,
  type SerializerProtocol,
  TASKS,
} from "@langchain/langgraph-checkpoint";
import { PostgresSaver, SerializationError } from "../../src/index.js";
import { JsonSerializer, MsgpackSerializer } from "../../src/serde/index.js";
import {
  allVersions,
  checkpointOf,
  metadataOf,
  newThread,
  nextId,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { describeEachTarget, type TestDatabase } from "../../test-support/targets.js";

describeEachTarget("put", (target) => {
  let database: TestDatabase;
  let saver: PostgresSaver;

  beforeAll(async () => {
    database = await target.migratedDatabase();
    saver = new PostgresSaver(database.source);
  });
  afterAll(() => saver.end());

  it("returns and reads back a config of exactly thread, namespace and checkpoint", async () => {
    const thread = newThread();
    const foreign = { canary: () => "tweet", __pregel_send: () => undefined };
    const { config, checkpoint } = await putValues(saver, threadConfig(thread, foreign), { a: 1 });
    const identity = { configurable: { thread_id: thread, checkpoint_ns: "", checkpoint_id: checkpoint.id } };
    expect(config).toStrictEqual(identity);
    expect((await saver.getTuple(threadConfig(thread)))?.config).toStrictEqual(identity);
  });

  it("calls a custom serializer for every value, also a subclass of ours", async () => {
    class Own extends MsgpackSerializer {}
    const thread = newThread();
    await using own = new PostgresSaver(database.source, new Own());
    await putValues(own, threadConfig(thread), { secret: "a word" });
    const headers = await database.query<{ text: string }>(
      "select checkpoint::text as text from checkpoints where thread_id = $1",
      [thread],
    );
    expect(headers).toHaveLength(1);
    expect(headers[0]?.text).not.toContain("a word");
    expect((await own.getTuple(threadConfig(thread)))?.checkpoint.channel_values).toEqual({
      secret: "a word",
    });
  });

  it("stores unknown keys of the checkpoint with any values", async () => {
    const thread = newThread();
    const extra = { pending_sends: [], note: { at: new Date(5), nul: "a\0b", lone: "\ud800" } };
    const checkpoint = { ...checkpointOf(saver, { a: 1 }), ...extra };
    await saver.put(threadConfig(thread), checkpoint, metadataOf(), {});
    expect((await saver.getTuple(threadConfig(thread)))?.checkpoint).toMatchObject(extra);
  });

  it("stores metadata exactly, including values that JSON lacks", async () => {
    const thread = newThread();
    const metadata = metadataOf(-2, {
      when: new Date(1_700_000_000_000),
      big: 2n ** 70n,
      nothing: undefined,
      none: null,
      nested: { set: new Set([1]), nan: NaN, minusZero: -0 },
      nul: "a\0b",
      "key\0with nul": 1,
      lone: "\ud800",
      looksLikeARecord: { lc: 2, type: "undefined" },
    });
    await saver.put(threadConfig(thread), checkpointOf(saver, {}), metadata, {});
    expect((await saver.getTuple(threadConfig(thread)))?.metadata).toStrictEqual(metadata);
  });

  it("omits a new channel without a value, and reads an undefined value as undefined", async () => {
    const thread = newThread();
    const checkpoint = checkpointOf(saver, { kept: undefined });
    const versions = { ...allVersions(checkpoint), emptied: saver.getNextVersion(undefined) };
    checkpoint.channel_versions = versions;
    await saver.put(threadConfig(thread), checkpoint, metadataOf(), versions);
    const values = (await saver.getTuple(threadConfig(thread)))?.checkpoint.channel_values ?? {};
    expect(Object.keys(values)).toEqual(["kept"]);
    expect(values.kept).toBeUndefined();
  });

  it.each<[string, SerializerProtocol]>([
    ["MessagePack", new MsgpackSerializer()],
    ["JSON", new JsonSerializer()],
  ])(
    "stores the trigger of a deferred node as empty where it is undefined, written as %s",
    async (_layout, serde) => {
      const thread = newThread();
      await using writer = new PostgresSaver(database.source, serde);
      const { config } = await putValues(writer, threadConfig(thread), {
        "branch:to:d": undefined,
        own: undefined,
      });
      const types = await database.query(
        "select channel, type from checkpoint_blobs where thread_id = $1 order by channel",
        [thread],
      );
      const [own] = await serde.dumpsTyped(undefined);
      expect(types).toEqual([
        { channel: "branch:to:d", type: "empty" },
        { channel: "own", type: own },
      ]);
      expect((await saver.getTuple(config))?.checkpoint.channel_values).toStrictEqual({ own: undefined });
      expect(await saver.verify(thread)).toMatchObject({ problems: [] });
    },
  );

  it("keeps Python's spelling of unchanged numbers: 3.0 is a float, 3 would be an integer", async () => {
    const thread = newThread();
    const first = await putValues(saver, threadConfig(thread), {
      whole: 3,
      huge: 1e21,
      large: 10n ** 20n,
      count: 5,
      note: "a",
    });
    await database.query(
      `update checkpoints set checkpoint = jsonb_set(jsonb_set(checkpoint, '{channel_values,whole}', '3.0'), '{channel_values,count}', '5.00')
       where thread_id = $1`,
      [thread],
    );
    const next = checkpointOf(saver, { count: 5 }, first.checkpoint);
    const newVersions = allVersions(next);
    next.channel_values = { whole: 3, huge: 1e21, large: 10n ** 20n, count: 5, note: "a" };
    const config = await saver.put(first.config, next, metadataOf(1), newVersions);

    const [stored] = await database.query<{ whole: string; large: string; count: string }>(
      `select v ->> 'whole' as whole, v ->> 'large' as large, v ->> 'count' as count
       from checkpoints, lateral (select checkpoint -> 'channel_values' as v) as header
       where thread_id = $1 and checkpoint_id = $2`,
      [thread, next.id],
    );
    expect(stored).toEqual({ whole: "3.0", large: "100000000000000000000", count: "5" });
    expect((await saver.getTuple(config))?.checkpoint.channel_values).toEqual(next.channel_values);
  });

  it("replaces header and metadata when a checkpoint is put again, and keeps its parent", async () => {
    const thread = newThread();
    const parent = await putValues(saver, threadConfig(thread), { a: 1 });
    const checkpoint = checkpointOf(saver, { a: 2 }, parent.checkpoint);
    await saver.put(parent.config, checkpoint, metadataOf(1), allVersions(checkpoint));
    const again = { ...checkpoint, ts: "2030-01-01T00:00:00+02:00" };
    await saver.put(threadConfig(thread), again, metadataOf(2), {});
    const tuple = await saver.getTuple(threadConfig(thread));
    expect(tuple?.checkpoint.ts).toBe("2030-01-01T00:00:00+02:00");
    expect(tuple?.metadata?.step).toBe(2);
    expect(tuple?.parentConfig).toEqual(parent.config);
  });

  it("stores the arguments as they were at the call", async () => {
    const thread = newThread();
    const list = ["first"];
    const bytes = new Uint8Array([1, 2, 3]);
    const checkpoint = checkpointOf(saver, { list, bytes });
    const metadata = metadataOf(1, { tags: ["a"] });
    const pending = saver.put(threadConfig(thread), checkpoint, metadata, allVersions(checkpoint));
    list.push("second");
    bytes.fill(0);
    checkpoint.channel_versions = {};
    Object.assign(metadata, { step: 99 });
    await pending;
    const tuple = await saver.getTuple(threadConfig(thread));
    expect(tuple?.checkpoint.channel_values).toEqual({ list: ["first"], bytes: new Uint8Array([1, 2, 3]) });
    expect(tuple?.metadata).toEqual(metadataOf(1, { tags: ["a"] }));
  });

  it("does so with a serializer that returns the caller's bytes, such as the official one", async () => {
    const thread = newThread();
    await using official = new PostgresSaver(database.source, new MemorySaver().serde);
    const bytes = new Uint8Array([1, 2, 3]);
    const checkpoint = checkpointOf(official, { bytes });
    const pending = official.put(threadConfig(thread), checkpoint, metadataOf(), allVersions(checkpoint));
    bytes.fill(0);
    await pending;
    const tuple = await official.getTuple(threadConfig(thread));
    expect([...((tuple?.checkpoint.channel_values.bytes ?? []) as Uint8Array)]).toEqual([1, 2, 3]);
    await official.end();
  });

  it("accepts arguments that are frozen", async () => {
    const thread = newThread();
    const checkpoint = Object.freeze({
      ...checkpointOf(saver, {}),
      channel_values: Object.freeze({ a: Object.freeze([1]) }),
      channel_versions: Object.freeze({ a: 1 }),
      versions_seen: Object.freeze({ node: Object.freeze({ a: 1 }) }),
    });
    await saver.put(
      Object.freeze(threadConfig(thread)),
      checkpoint,
      Object.freeze(metadataOf()),
      Object.freeze({ a: 1 }),
    );
    expect((await saver.getTuple(threadConfig(thread)))?.checkpoint).toEqual(checkpoint);
  });

  it("writes nothing when one value can't be stored, and names it", async () => {
    const thread = newThread();
    const checkpoint = checkpointOf(saver, { fine: [1], messages: [{}, { onDone: () => 1 }] });
    const put = saver.put(threadConfig(thread), checkpoint, metadataOf(), allVersions(checkpoint));
    const error = await put.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(SerializationError);
    expect(error).toMatchObject({ threadId: thread, channel: "messages", path: "[1].onDone" });
    expect(await database.query("select * from checkpoint_blobs where thread_id = $1", [thread])).toEqual([]);
    expect(await database.query("select * from checkpoints where thread_id = $1", [thread])).toEqual([]);
  });

  it("keeps an unchanged scalar that Python stored only in the parent's header", async () => {
    for (const serde of [undefined, new JsonSerializer()]) {
      const thread = newThread();
      await using saver = new PostgresSaver(database.source, serde);
      const values = { city: "Paris", long: "x".repeat(5_000), count: 3, none: null, yes: true };
      const versions = Object.fromEntries(Object.keys(values).map((name) => [name, `${name}-1`]));
      const header = {
        v: 4,
        id: nextId(),
        ts: "2024-01-01T00:00:00.000Z",
        channel_versions: versions,
        versions_seen: {},
        channel_values: values,
      };
      await database.query(
        "insert into checkpoints (thread_id, checkpoint_id, checkpoint, metadata) values ($1, $2, $3, '{}')",
        [thread, header.id, JSON.stringify(header)],
      );
      const parent = await saver.getTuple(threadConfig(thread));
      expect(parent?.checkpoint.channel_values).toEqual(values);
      const next: Checkpoint = { ...header, id: nextId(), channel_values: { ...values, more: [1] } };
      next.channel_versions = { ...versions, more: "more-1" };
      await saver.put(threadConfig(thread, { checkpoint_id: header.id }), next, metadataOf(), {
        more: "more-1",
      });
      expect((await saver.getTuple(threadConfig(thread)))?.checkpoint.channel_values).toEqual(
        next.channel_values,
      );
      await saver.end();
    }
  });

  it("keeps an unchanged number inline where Python stores it, whatever its digits", async () => {
    const thread = newThread();
    const spelled = {
      whole: "3.0",
      round: "1e+22",
      inexact: "1e+23",
      most: "1.7976931348623157e+308",
      integer: "1152921504606846977",
      long: `-1${"0".repeat(400)}1`,
    };
    const versions = Object.fromEntries(Object.keys(spelled).map((name) => [name, `${name}-1`]));
    const header = {
      v: 4,
      id: nextId(),
      ts: "2024-01-01T00:00:00.000Z",
      channel_versions: versions,
      versions_seen: {},
    };
    const inline = Object.entries(spelled).map(([name, digits]) => `"${name}":${digits}`);
    await database.query(
      "insert into checkpoints (thread_id, checkpoint_id, checkpoint, metadata) values ($1, $2, $3, '{}')",
      [thread, header.id, `${JSON.stringify(header).slice(0, -1)},"channel_values":{${inline.join()}}}`],
    );
    const parent = await saver.getTuple(threadConfig(thread));
    const values = parent?.checkpoint.channel_values ?? {};
    expect(values).toEqual({
      whole: 3,
      round: 10n ** 22n,
      inexact: 10n ** 23n,
      most: 17976931348623157n * 10n ** 292n,
      integer: 2n ** 60n + 1n,
      long: -(10n ** 401n) - 1n,
    });

    const next = { ...header, id: nextId(), channel_values: { ...values, more: [1] } };
    next.channel_versions = { ...versions, more: "more-1" };
    const config = threadConfig(thread, { checkpoint_id: header.id });
    await saver.put(config, next, metadataOf(), { more: "more-1" });
    const kept = await database.query(
      "select checkpoint ->> 'channel_values' as values from checkpoints where thread_id = $1",
      [thread],
    );
    expect(kept[1]).toEqual(kept[0]);
    expect(
      await database.query("select channel from checkpoint_blobs where thread_id = $1", [thread]),
    ).toEqual([{ channel: "more" }]);
  });

  it("reads the sends of a checkpoint before version 4 from its parent, the same each time", async () => {
    const thread = newThread();
    const parent = await saver.put(
      threadConfig(thread),
      { ...checkpointOf(saver, {}), v: 1 },
      metadataOf(),
      {},
    );
    await saver.putWrites(parent, [[TASKS, "b"]], "task-2");
    await saver.putWrites(parent, [[TASKS, "a"]], "task-1");
    const child = await saver.put(parent, { ...checkpointOf(saver, {}), v: 1 }, metadataOf(), {});
    const tuple = await saver.getTuple(child);
    expect(tuple?.checkpoint.channel_values).toEqual({ [TASKS]: ["a", "b"] });
    expect(await saver.getTuple(child)).toEqual(tuple);
    expect((await saver.getTuple(parent))?.checkpoint.channel_values).toEqual({});
  });
});
