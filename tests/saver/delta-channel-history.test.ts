import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type { RunnableConfig } from "@langchain/core/runnables";
import { BaseCheckpointSaver, type Checkpoint, DeltaSnapshot, TASKS } from "@langchain/langgraph-checkpoint";
import fc from "fast-check";
import { PostgresSaver } from "../../src/index.js";
import {
  allVersions,
  checkpointOf,
  metadataOf,
  newThread,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { runs } from "../../test-support/runs.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";

const CHANNELS = ["a", "b", "scalar"];

// By UTF-16 code unit U+1F600 is before U+FFFD, and in most locales "B" is after "a". By code point it is the other
// way round.
const TASK_PATHS = ["", "~a", "~B", "~\u{fffd}", "~\u{1f600}"];

interface Step {
  /** The index of the parent among the checkpoints so far. */
  readonly parent: number;
  readonly values: readonly string[];
  readonly emptied: readonly string[];
  readonly writes: readonly (readonly [task: string, path: string, channel: string])[];
}

const step: fc.Arbitrary<Step> = fc.record({
  parent: fc.nat(),
  values: fc.subarray(CHANNELS),
  emptied: fc.subarray(CHANNELS),
  writes: fc.array(
    fc.tuple(fc.constantFrom("t1", "t2", "t3"), fc.constantFrom(...TASK_PATHS), fc.constantFrom(...CHANNELS)),
    { maxLength: 6 },
  ),
});

describeAnyTarget("getDeltaChannelHistory", (target) => {
  let database: TestDatabase;
  let saver: PostgresSaver;

  beforeAll(async () => {
    database = await target.migratedDatabase();
    saver = new PostgresSaver(database.source);
  });
  afterAll(() => saver.end());

  function baseWalk(config: RunnableConfig, channels: string[]) {
    return BaseCheckpointSaver.prototype.getDeltaChannelHistory.call(saver, { config, channels });
  }

  /** The base class before LangGraph.js 1.5 knows no task paths, and sorts the writes of a checkpoint by task again. */
  async function baseWalkKeepsOrder(): Promise<boolean> {
    const parent = await putValues(saver, threadConfig(newThread()), {});
    await saver.putWrites(parent.config, [["a", "second"]], "t1", "~b");
    await saver.putWrites(parent.config, [["a", "first"]], "t2", "~a");
    const child = await putValues(saver, parent.config, {}, parent.checkpoint);
    return (await baseWalk(child.config, ["a"])).a?.writes[0]?.[2] === "first";
  }

  async function store(thread: string, steps: readonly Step[], hasPaths: boolean): Promise<RunnableConfig[]> {
    const configs: RunnableConfig[] = [threadConfig(thread)];
    const checkpoints: (Checkpoint | undefined)[] = [undefined];
    for (const [index, { parent, values, emptied, writes }] of steps.entries()) {
      const from = parent % configs.length;
      const previous = checkpoints[from];
      const named = Object.fromEntries([...values, ...emptied].map((channel) => [channel, undefined]));
      const checkpoint = checkpointOf(saver, named, previous);
      const versions = allVersions(checkpoint);
      checkpoint.channel_values = Object.fromEntries(
        values.map((name) => [name, name === "scalar" ? index : new DeltaSnapshot([index])]),
      );
      const config = await saver.put(configs[from] ?? {}, checkpoint, metadataOf(), versions);
      for (const [position, [task, path, channel]] of writes.entries()) {
        await saver.putWrites(config, [[channel, { index, position }]], task, hasPaths ? path : "");
      }
      configs.push(config);
      checkpoints.push(checkpoint);
    }
    return configs;
  }

  it("returns what the base class's walk returns, on any tree of checkpoints", async () => {
    const hasPaths = await baseWalkKeepsOrder();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
        const configs = await store(newThread(), steps, hasPaths);
        for (const config of configs) {
          const history = await saver.getDeltaChannelHistory({ config, channels: CHANNELS });
          expect(history).toEqual(await baseWalk(config, CHANNELS));
        }
      }),
      runs(15),
    );
  });

  it("prefers the blob to the marker that Python stores inline", async () => {
    const thread = newThread();
    const { config, checkpoint } = await putValues(saver, threadConfig(thread), {
      a: new DeltaSnapshot(["x"]),
    });
    await database.query(
      `update checkpoints set checkpoint = checkpoint || '{"channel_values":{"a":true}}' where thread_id = $1`,
      [thread],
    );
    const head = await saver.put(config, checkpointOf(saver, {}, checkpoint), metadataOf(), {});
    const history = await saver.getDeltaChannelHistory({ config: head, channels: ["a"] });
    expect(history).toEqual({ a: { writes: [], seed: new DeltaSnapshot(["x"]) } });
  });

  it.each(["a", TASKS])(
    "ends although damaged rows are each other's parents: channel %s",
    async (channel) => {
      const thread = newThread();
      const first = await putValues(saver, threadConfig(thread), {});
      const second = await putValues(saver, first.config, {});
      await database.query(
        "update checkpoints set parent_checkpoint_id = $1 where thread_id = $2 and checkpoint_id = $3",
        [second.checkpoint.id, thread, first.checkpoint.id],
      );
      const history = await saver.getDeltaChannelHistory({ config: second.config, channels: [channel] });
      expect(history).toEqual({ [channel]: { writes: [] } });
    },
  );

  it("returns an entry for each channel, also where nothing is stored", async () => {
    const config = threadConfig(newThread());
    expect(await saver.getDeltaChannelHistory({ config, channels: [] })).toEqual({});
    expect(await saver.getDeltaChannelHistory({ config, channels: ["a", TASKS] })).toEqual({
      a: { writes: [] },
      [TASKS]: { writes: [] },
    });
    expect(await saver.getDeltaChannelHistory({ config: {}, channels: ["a"] })).toEqual({
      a: { writes: [] },
    });
  });
});
