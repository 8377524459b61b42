import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { Checkpoint, CheckpointMetadata, PendingWrite } from "@langchain/langgraph-checkpoint";
import { Pool } from "pg";
import { InvalidConfigError, PostgresSaver } from "../../src/index.js";
import {
  checkpointOf,
  metadataOf,
  newThread,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { describeAnyTarget } from "../../test-support/targets.js";

const LONG = "ü".repeat(1_001);
const id = (more: object) => ({ configurable: { thread_id: "t", ...more } });

/** Keys that are refused, with the field that the error names. */
const BAD_KEYS: [what: string, config: unknown, field: string][] = [
  ["no config", undefined, "config"],
  ["no configurable", {}, "config.configurable"],
  ["no thread_id", { configurable: {} }, "config.configurable.thread_id"],
  ["an undefined thread_id", id({ thread_id: undefined }), "config.configurable.thread_id"],
  ["an empty thread_id", id({ thread_id: "" }), "config.configurable.thread_id"],
  ["a thread_id that is an object", id({ thread_id: {} }), "config.configurable.thread_id"],
  ["a thread_id that is NaN", id({ thread_id: NaN }), "config.configurable.thread_id"],
  ["U+0000 in thread_id", id({ thread_id: "a\0b" }), "config.configurable.thread_id"],
  ["a lone surrogate in thread_id", id({ thread_id: "a\ud800" }), "config.configurable.thread_id"],
  ["a thread_id over 2,000 bytes", id({ thread_id: LONG }), "config.configurable.thread_id"],
  ["U+0000 in checkpoint_ns", id({ checkpoint_ns: "\0" }), "config.configurable.checkpoint_ns"],
  ["a checkpoint_ns over 2,000 bytes", id({ checkpoint_ns: LONG }), "config.configurable.checkpoint_ns"],
  ["a checkpoint_ns that is a number", id({ checkpoint_ns: 1 }), "config.configurable.checkpoint_ns"],
  ["U+0000 in checkpoint_id", id({ checkpoint_id: "\0" }), "config.configurable.checkpoint_id"],
  ["a checkpoint_id over 2,000 bytes", id({ checkpoint_id: LONG }), "config.configurable.checkpoint_id"],
];

describe("what is refused before any I/O", () => {
  // Nothing listens there, so a call that sent anything would fail with another error.
  const pool = new Pool({ host: "127.0.0.1", port: 1 });
  const saver = new PostgresSaver(pool, undefined, { retry: false });
  const checkpoint = checkpointOf(saver, { a: 1 });

  async function expectRefused(call: Promise<unknown>, field: string): Promise<void> {
    const error = await call.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(InvalidConfigError);
    expect(error).toMatchObject({ code: "INVALID_CONFIG", field });
    expect(String(error)).toContain(field);
  }

  it.each(BAD_KEYS)("put with %s", async (_, config, field) => {
    await expectRefused(saver.put(config as RunnableConfig, checkpoint, metadataOf(), {}), field);
  });

  it.each(BAD_KEYS)("putWrites with %s", async (_, config, field) => {
    const complete = withId(config);
    await expectRefused(saver.putWrites(complete as RunnableConfig, [["a", 1]], "task"), field);
  });

  it.each(BAD_KEYS.filter(([, config]) => threadOf(config) !== undefined))(
    "list with %s",
    async (_, config, field) => {
      await expectRefused(saver.list(config as RunnableConfig).next(), field);
    },
  );

  it.each([
    ["no checkpoint_id", threadConfig("t")],
    ["an empty checkpoint_id", threadConfig("t", { checkpoint_id: "" })],
  ])("putWrites with %s", async (_, config) => {
    await expectRefused(saver.putWrites(config, [["a", 1]], "task"), "config.configurable.checkpoint_id");
  });

  it.each([["\0", LONG, undefined, null, {}]])("deleteThread of %p", async (...threads) => {
    for (const thread of threads) await expectRefused(saver.deleteThread(thread as string), "threadId");
  });

  it.each<[string, unknown, string]>([
    ["no checkpoint", undefined, "checkpoint"],
    ["a checkpoint without id", { ...checkpoint, id: undefined }, "checkpoint.id"],
    ["a checkpoint with an empty id", { ...checkpoint, id: "" }, "checkpoint.id"],
    ["a checkpoint whose id has U+0000", { ...checkpoint, id: "\0" }, "checkpoint.id"],
    ["a checkpoint without v", { ...checkpoint, v: undefined }, "checkpoint.v"],
    ["channel_values that are a list", { ...checkpoint, channel_values: [] }, "checkpoint.channel_values"],
    [
      "a version that is no version",
      { ...checkpoint, channel_versions: { a: {} } },
      "checkpoint.channel_versions.a",
    ],
    [
      "a channel with U+0000",
      { ...checkpoint, channel_versions: { "\0": 1 } },
      "checkpoint.channel_versions.\0",
    ],
  ])("put with %s", async (_, bad, field) => {
    await expectRefused(saver.put(threadConfig("t"), bad as Checkpoint, metadataOf(), {}), field);
  });

  it.each<[string, unknown, string]>([
    ["no metadata", undefined, "metadata"],
    ["metadata that is text", "loop", "metadata"],
    ["parents that are no text", { parents: { "": 1 } }, "metadata.parents"],
  ])("put with %s", async (_, metadata, field) => {
    await expectRefused(saver.put(threadConfig("t"), checkpoint, metadata as CheckpointMetadata, {}), field);
  });

  it.each<[string, unknown, unknown, string]>([
    ["writes that are no list", {}, "task", "writes"],
    ["a write that is no pair", [["a"]], "task", "writes.0"],
    ["a channel that is no text", [[1, 1]], "task", "writes.0.0"],
    ["a channel with U+0000", [["\0", 1]], "task", "writes.0.0"],
    ["an empty task", [["a", 1]], "", "taskId"],
    ["no task", [["a", 1]], undefined, "taskId"],
  ])("putWrites with %s", async (_, writes, task, field) => {
    const config = threadConfig("t", { checkpoint_id: "1" });
    await expectRefused(saver.putWrites(config, writes as PendingWrite[], task as string), field);
  });

  it.each<[string, object, string]>([
    ["an empty schema", { schema: "" }, "options.schema"],
    ["a schema whose name Postgres would cut off", { schema: "s".repeat(64) }, "options.schema"],
    ["a negative retry", { retry: { maxElapsedMs: -1 } }, "options.retry.maxElapsedMs"],
  ])("a saver with %s", async (_, options, field) => {
    await expectRefused(
      Promise.resolve().then(() => new PostgresSaver(pool, undefined, options)),
      field,
    );
  });
});

function threadOf(config: unknown): unknown {
  return (config as RunnableConfig | undefined)?.configurable?.thread_id;
}

function withId(config: unknown): unknown {
  const configurable = (config as RunnableConfig | undefined)?.configurable;
  return configurable === undefined ? config : { configurable: { checkpoint_id: "1", ...configurable } };
}

describeAnyTarget("what is taken as it is meant", (target) => {
  let saver: PostgresSaver;

  beforeAll(async () => {
    saver = new PostgresSaver((await target.migratedDatabase()).source);
  });
  afterAll(() => saver.end());

  it("treats a number as thread_id like its text", async () => {
    await saver.put({ configurable: { thread_id: 42 } }, checkpointOf(saver, {}), metadataOf(), {});
    expect((await saver.getTuple(threadConfig("42")))?.config.configurable?.thread_id).toBe("42");
    await saver.deleteThread("42");
    expect(await saver.getTuple({ configurable: { thread_id: 42 } })).toBeUndefined();
  });

  it("treats an empty, undefined or null checkpoint_id as none", async () => {
    const thread = newThread();
    const { config } = await putValues(saver, threadConfig(thread, { checkpoint_id: "" }), { a: 1 });
    for (const checkpoint_id of ["", undefined, null]) {
      const tuple = await saver.getTuple(threadConfig(thread, { checkpoint_id, checkpoint_ns: undefined }));
      expect(tuple?.config).toEqual(config);
      expect(tuple?.parentConfig).toBeUndefined();
    }
  });

  it("treats an undefined or null checkpoint_ns as the root", async () => {
    const thread = newThread();
    for (const checkpoint_ns of [undefined, null]) {
      const { config } = await putValues(saver, threadConfig(thread, { checkpoint_ns }), { a: 1 });
      expect(config.configurable?.checkpoint_ns).toBe("");
      expect((await saver.getTuple(threadConfig(thread, { checkpoint_ns })))?.config).toEqual(config);
    }
  });

  it("finds nothing where the config names no thread", async () => {
    for (const config of [{}, { configurable: {} }, { configurable: { thread_id: undefined } }]) {
      expect(await saver.getTuple(config)).toBeUndefined();
    }
  });

  it("accepts keys of 2,000 bytes", async () => {
    const thread = "ü".repeat(1_000);
    const { config } = await putValues(saver, threadConfig(thread), { a: 1 });
    expect((await saver.getTuple(config))?.checkpoint.channel_values).toEqual({ a: 1 });
  });
});
