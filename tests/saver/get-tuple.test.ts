import { afterAll, beforeAll, expect, it } from "@jest/globals";
import {
  CorruptCheckpointError,
  DeserializationError,
  MigrationRequiredError,
  PostgresSaver,
} from "../../src/index.js";
import {
  checkpointOf,
  metadataOf,
  newThread,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { describeEachTarget, type TestDatabase } from "../../test-support/targets.js";

describeEachTarget("getTuple", (target) => {
  let database: TestDatabase;
  let saver: PostgresSaver;

  beforeAll(async () => {
    database = await target.migratedDatabase();
    saver = new PostgresSaver(database.source);
  });
  afterAll(() => saver.end());

  it("treats the highest id in byte order as the newest, in any collation of the database", async () => {
    const thread = newThread();
    // A linguistic collation sorts "a" before "B", and ignores punctuation.
    for (const id of ["a", "B", "Z-2", "Z1", "é"]) {
      await saver.put(threadConfig(thread), { ...checkpointOf(saver, {}), id }, metadataOf(), {});
    }
    expect((await saver.getTuple(threadConfig(thread)))?.checkpoint.id).toBe("é");
    const listed: string[] = [];
    for await (const tuple of saver.list(threadConfig(thread))) listed.push(tuple.checkpoint.id);
    expect(listed).toEqual(["é", "a", "Z1", "Z-2", "B"]);
  });

  it("names thread, checkpoint and channel of a value that can't be read", async () => {
    const thread = newThread();
    const { config, checkpoint } = await putValues(saver, threadConfig(thread), { fine: [1], broken: [2] });
    const types = { pickle: /pickle/, "msgpack+aes": /encrypted/, nonsense: /nonsense/ };
    for (const [type, message] of Object.entries(types)) {
      await database.query(
        "update checkpoint_blobs set type = $1 where thread_id = $2 and channel = 'broken'",
        [type, thread],
      );
      const error = await saver.getTuple(config).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(DeserializationError);
      expect(error).toMatchObject({
        threadId: thread,
        checkpointId: checkpoint.id,
        channel: "broken",
        typeTag: type,
      });
      expect(String(error)).toMatch(message);
    }
  });

  it("names the checkpoint of a row that is not a checkpoint", async () => {
    const thread = newThread();
    const { config, checkpoint } = await putValues(saver, threadConfig(thread), {});
    for (const [column, json] of [
      ["checkpoint", '"text"'],
      ["checkpoint", '{"v":4,"id":"x","ts":"","channel_versions":[1]}'],
      ["metadata", "[1]"],
    ] as const) {
      await database.query(`update checkpoints set ${column} = $1 where thread_id = $2`, [json, thread]);
      const error = await saver.getTuple(config).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(CorruptCheckpointError);
      expect(error).toMatchObject({ threadId: thread, checkpointId: checkpoint.id });
    }
  });

  it("reads checkpoints of old formats that lack later keys", async () => {
    const thread = newThread();
    await database.query(
      `insert into checkpoints (thread_id, checkpoint_id, checkpoint) values ($1, '1', '{"v":1,"id":"1","ts":"then"}')`,
      [thread],
    );
    expect((await saver.getTuple(threadConfig(thread)))?.checkpoint).toEqual({
      v: 1,
      id: "1",
      ts: "then",
      channel_values: {},
      channel_versions: {},
      versions_seen: {},
    });
  });

  it("prefers a blob to the marker that Python stores inline", async () => {
    const thread = newThread();
    const { config } = await putValues(saver, threadConfig(thread), { a: ["value"] });
    await database.query(
      `update checkpoints set checkpoint = checkpoint || '{"channel_values":{"a":true,"b":1}}' where thread_id = $1`,
      [thread],
    );
    expect((await saver.getTuple(config))?.checkpoint.channel_values).toEqual({ a: ["value"], b: 1 });
  });

  it("reads Python's integers beyond a double as BigInt", async () => {
    const thread = newThread();
    const header =
      '{"v":4,"id":"1","ts":"","channel_versions":{"n":"1"},"channel_values":{"n":1152921504606846977}}';
    await database.query(
      "insert into checkpoints (thread_id, checkpoint_id, checkpoint) values ($1, '1', $2)",
      [thread, header],
    );
    expect((await saver.getTuple(threadConfig(thread)))?.checkpoint.channel_values).toEqual({
      n: 2n ** 60n + 1n,
    });
  });

  it("names setup() in the error where the tables are missing", async () => {
    await using elsewhere = new PostgresSaver(database.source, undefined, { schema: "nowhere" });
    const error = await elsewhere.getTuple(threadConfig("t")).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(MigrationRequiredError);
    expect(error).toMatchObject({ schema: "nowhere", code: "MIGRATION_REQUIRED" });
    expect(String(error)).toContain("setup()");
    await elsewhere.end();
  });
});
