import { beforeAll, beforeEach, expect, it } from "@jest/globals";
import type { RunnableConfig } from "@langchain/core/runnables";
import { type Checkpoint, uuid5 } from "@langchain/langgraph-checkpoint";
import { CheckpointNotFoundError, InvalidConfigError, WritesMissingError } from "../../src/index.js";
import type { ChannelReducers } from "../../src/saver/model/channel-reducers.js";
import { metadataOf, newThread, nextId, threadConfig } from "../../test-support/checkpoints.js";
import { type AuditedDatabase, describeEachLayout } from "./layouts.js";

const NULL_TASK = "00000000-0000-0000-0000-000000000000";
const REDUCERS: ChannelReducers = {
  log: (current: string[] = [], update: string[]) => current.concat(update),
};

interface Stored {
  readonly config: RunnableConfig;
  readonly checkpoint: Checkpoint;
}

describeEachLayout("rebuildBlobs", (open) => {
  let audited: AuditedDatabase;
  let thread: string;

  beforeAll(async () => {
    audited = await open();
  });

  beforeEach(() => {
    thread = newThread();
  });

  /** Stores the first checkpoint of a thread, whose log has no version yet. */
  async function begin(): Promise<Stored> {
    const checkpoint: Checkpoint = {
      v: 4,
      id: nextId(),
      ts: new Date().toISOString(),
      channel_values: {},
      channel_versions: {},
      versions_seen: {},
    };
    return {
      checkpoint,
      config: await audited.saver.put(threadConfig(thread), checkpoint, metadataOf(-1), {}),
    };
  }

  /** Stores the writes of tasks to the log, and the next checkpoint. */
  async function step(
    before: Stored,
    log: string[],
    writes: readonly (readonly [task: string, ...unknown[]])[],
    source = "loop",
  ): Promise<Stored> {
    // oxfmt-ignore
    const { saver } = audited;
    for (const [task, ...values] of writes) {
      await saver.putWrites(before.config, values.map((value) => ["log", value]), task); // oxfmt-ignore
    }
    const version = saver.getNextVersion(before.checkpoint.channel_versions.log);
    const checkpoint = {
      ...before.checkpoint,
      id: nextId(),
      channel_values: { log },
      channel_versions: { log: version },
    };
    const metadata = { ...metadataOf(), source: source as "loop" };
    return { checkpoint, config: await saver.put(before.config, checkpoint, metadata, { log: version }) };
  }

  const change = (sql: string, ...parameters: unknown[]) => audited.database.query(sql, parameters);
  const loseAll = () => change("delete from checkpoint_blobs where thread_id = $1", thread);

  async function logOf({ config }: Stored): Promise<unknown> {
    return (await audited.saver.getTuple(config))?.checkpoint.channel_values.log;
  }

  async function refusal(config: RunnableConfig, reducers = REDUCERS): Promise<unknown> {
    const count = async () =>
      change("select count(*)::int from checkpoint_blobs where thread_id = $1", thread);
    const before = await count();
    const error = await audited.saver.rebuildBlobs(config, reducers).catch((reason: unknown) => reason);
    expect(await count()).toEqual(before);
    return error;
  }

  it("applies the writes of each step by task and position", async () => {
    const first = await step(await begin(), ["a", "b", "c"], [["task 2", ["c"]], ["task 1", ["a"], ["b"]]]); // oxfmt-ignore
    const second = await step(first, ["a", "b", "c", "d"], [["task 1", ["d"]]]);
    await loseAll();
    expect(await audited.saver.rebuildBlobs(second.config, REDUCERS)).toMatchObject([{ channel: "log" }]);
    expect(await logOf(second)).toEqual(["a", "b", "c", "d"]);
    // It does not rebuild other checkpoints.
    expect(await logOf(first)).toBeUndefined();
  });

  it("lets an Overwrite replace all other writes of its step", async () => {
    const first = await step(await begin(), ["a"], [["task 1", ["a"]]]);
    const second = await step(first, ["z"], [["task 1", { __overwrite__: ["z"] }], ["task 2", ["lost"]]]); // oxfmt-ignore
    const third = await step(second, ["z", "y"], [["task 1", ["y"]]]);
    await loseAll();
    await audited.saver.rebuildBlobs(third.config, REDUCERS);
    expect(await logOf(third)).toEqual(["z", "y"]);
  });

  it("continues from an emptied channel, and applies the writes of a command", async () => {
    const first = await step(await begin(), ["a"], [["task 1", ["a"]]]);
    await change("update checkpoint_blobs set type = 'empty', blob = null where thread_id = $1", thread);
    const input = await step(first, ["n"], [[NULL_TASK, ["n"]], ["task 1", ["of a task that never went on"]]], "input"); // oxfmt-ignore
    const version = String(input.checkpoint.channel_versions.log);
    await change("delete from checkpoint_blobs where thread_id = $1 and version = $2", thread, version);
    await audited.saver.rebuildBlobs(input.config, REDUCERS);
    expect(await logOf(input)).toEqual(["n"]);
  });

  it("distinguishes a state update from tasks that ran before it", async () => {
    const { saver } = audited;
    const first = await step(await begin(), ["a"], [["task 1", ["a"]]]);
    const main = await step(first, ["a", "b"], [["task 1", ["b"]]]);

    const update = await step(first, ["a", "u"], [[uuid5("__interrupt__", first.checkpoint.id), ["u"]]], "update"); // oxfmt-ignore
    await loseAll();
    await saver.rebuildBlobs(main.config, REDUCERS);
    await saver.rebuildBlobs(update.config, REDUCERS);
    expect([await logOf(main), await logOf(update)]).toEqual([["a", "b"], ["a", "u"]]); // oxfmt-ignore
  });

  it("applies tasks in the order of their paths, and all updates of one call", async () => {
    const { saver } = audited;
    const first = await step(await begin(), ["a"], [["task", ["a"]]]);
    const main = await step(first, ["a", "b", "c"], []);
    await saver.putWrites(first.config, [["log", ["c"]]], "task 1", "~__pregel_pull, right");
    await saver.putWrites(first.config, [["log", ["b"]]], "task 2", "~__pregel_pull, left");
    const update = await step(first, ["a", "u", "v"], [], "update");
    for (const [index, value] of ["u", "v"].entries()) {
      const task = uuid5(index === 0 ? "__interrupt__" : `__interrupt__:${index}`, first.checkpoint.id);
      await saver.putWrites(first.config, [["log", [value]]], task, `~__interrupt__, 000000000${index}`);
    }
    await loseAll();
    for (const { config } of [first, main, update]) await saver.rebuildBlobs(config, REDUCERS);
    expect([await logOf(main), await logOf(update)]).toEqual([["a", "b", "c"], ["a", "u", "v"]]); // oxfmt-ignore
  });

  it("fails when two runs began at one checkpoint", async () => {
    const first = await step(await begin(), ["a"], [["task 1", ["a"]]]);
    const [one, other] = [await step(first, ["a", "b"], [["task 1", ["b"]]]), await step(first, ["a", "c"], [["task 1", ["c"]]])]; // oxfmt-ignore
    await loseAll();
    for (const { config, checkpoint } of [one, other]) {
      const error = await refusal(config);
      expect(error).toBeInstanceOf(WritesMissingError);
      expect(error).toMatchObject({ threadId: thread, checkpointId: checkpoint.id, channel: "log" });
    }
  });

  it("fails for a state update with pending writes of tasks", async () => {
    const first = await step(await begin(), ["a"], [["task 1", ["a"]]]);

    const update = await step(first, ["a", "u"], [["task 1", ["?"]], [uuid5("__interrupt__", first.checkpoint.id), ["u"]]], "update"); // oxfmt-ignore
    await loseAll();
    expect(await refusal(update.config)).toBeInstanceOf(WritesMissingError);
  });

  it("fails without the writes, and stores nothing", async () => {
    const first = await step(await begin(), ["a"], [["task 1", ["a"]]]);
    const second = await step(first, ["a", "b"], [["task 1", ["b"]]]);
    await loseAll();
    await change("delete from checkpoint_writes where thread_id = $1 and checkpoint_id = $2", thread, first.checkpoint.id); // oxfmt-ignore
    expect(await refusal(second.config)).toBeInstanceOf(WritesMissingError);
    expect(await audited.saver.rebuildBlobs(first.config, REDUCERS)).toHaveLength(1);
  });

  it("fails when an ancestor is not stored", async () => {
    const first = await step(await begin(), ["a"], [["task 1", ["a"]]]);
    const second = await step(first, ["a", "b"], [["task 1", ["b"]]]);
    await loseAll();
    await change("delete from checkpoints where thread_id = $1 and checkpoint_id = $2", thread, first.checkpoint.id); // oxfmt-ignore
    const error = await refusal(second.config);
    expect(error).toBeInstanceOf(WritesMissingError);
    expect(error).toMatchObject({ message: expect.stringContaining(first.checkpoint.id) });
  });

  it("terminates on a cycle of ancestors", async () => {
    const first = await step(await begin(), ["a"], [["task 1", ["a"]]]);
    const second = await step(first, ["a", "b"], [["task 1", ["b"]]]);
    await loseAll();
    await change("update checkpoints set parent_checkpoint_id = $2 where thread_id = $1 and checkpoint_id = $3", thread, second.checkpoint.id, first.checkpoint.id); // oxfmt-ignore
    expect(await refusal(second.config)).toBeInstanceOf(WritesMissingError);
  });

  it("requires a usable reducer for each missing channel", async () => {
    const { saver } = audited;
    const first = await step(await begin(), ["a"], [["task 1", ["a"]]]);
    expect(await saver.rebuildBlobs(first.config, {})).toEqual([]);
    await loseAll();
    const bad: ChannelReducers[] = [
      {},
      { log: (current: string[], update: string[]) => current.concat(update) },
      { log: (current: number, update: unknown) => current + Number(update) },
      { log: () => undefined },
    ];
    for (const reducers of bad) {
      const error = await refusal(first.config, reducers);
      expect(error).toBeInstanceOf(InvalidConfigError);
      expect(error).toMatchObject({ field: "reducers.log" });
    }
  });

  it("ignores delta channels, which have no stored values", async () => {
    const { saver } = audited;
    const first = await step(await begin(), ["a"], [["task 1", ["a"]]]);
    const counted = metadataOf(0, { counters_since_delta_snapshot: { log: [1, 1] } });
    await saver.put(threadConfig(thread), first.checkpoint, counted, {});
    await loseAll();
    expect(await saver.rebuildBlobs(first.config, {})).toEqual([]);
  });

  it("stores nothing that a concurrent writer has stored, and nothing for a deleted checkpoint", async () => {
    const { saver } = audited;
    const first = await step(await begin(), ["a"], [["task 1", ["a"]]]);
    await loseAll();
    const results = await Promise.all([1, 2].map(() => saver.rebuildBlobs(first.config, REDUCERS)));
    expect(results.flat()).toHaveLength(1);
    expect(await refusal(threadConfig(thread, { checkpoint_id: "none" }))).toBeInstanceOf(
      CheckpointNotFoundError,
    );
    expect(await refusal(threadConfig("none"))).toBeInstanceOf(CheckpointNotFoundError);
  });
});
