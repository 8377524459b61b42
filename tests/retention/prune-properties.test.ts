import { expect, it } from "@jest/globals";
import type {
  CheckpointMetadata,
  CheckpointTuple,
  DeltaChannelHistory,
} from "@langchain/langgraph-checkpoint";
import fc from "fast-check";
import { PostgresSaver } from "../../src/index.js";
import { metadataOf, threadConfig } from "../../test-support/checkpoints.js";
import { runs } from "../../test-support/runs.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";
import { idAt } from "./id-at.js";
import { orphanedBlobs, orphanedWrites, rowsOf } from "./stored-rows.js";

const DELTA = ["d", "e"];
const TASKS = "__pregel_tasks";

/** A checkpoint, and the writes of its super-step. */
interface Step {
  /** Which checkpoint is the parent, counted from the newest, which is 1; the first one if there are fewer. */
  readonly back: number;
  readonly v: 3 | 4;
  /** Whether each delta channel gets a write, a stored value, or nothing. */
  readonly deltas: Readonly<Record<string, "nothing" | "write" | "whole">>;
  readonly list: boolean;
  readonly scalar: boolean;
  /** Whether the parent has sends. */
  readonly sends: boolean;
  /** Whether the checkpoint has pending writes. */
  readonly pending: boolean;
}

const anyDelta = fc.constantFrom<"nothing" | "write" | "whole">("write", "write", "nothing", "whole");
const anyStep: fc.Arbitrary<Step> = fc.record({
  back: fc.constantFrom(1, 1, 1, 2, 3),
  v: fc.constantFrom<3 | 4>(4, 4, 3),
  deltas: fc.record({ d: anyDelta, e: anyDelta }),
  list: fc.boolean(),
  scalar: fc.boolean(),
  sends: fc.boolean(),
  pending: fc.boolean(),
});

/** Two branches, of which only one writes. No branch needs the first checkpoint, but only it marks the delta channels. */
const FORKED: Step[] = [
  stepWriting({ d: "write", e: "write" }),
  stepWriting({ d: "whole", e: "nothing" }),
  stepWriting({ d: "write", e: "write" }),
  { ...stepWriting({ d: "nothing", e: "nothing" }), back: 2 },
];

function stepWriting(deltas: Step["deltas"]): Step {
  return { back: 1, v: 4, deltas, list: false, scalar: false, sends: false, pending: false };
}

interface Node {
  readonly id: string;
  readonly parent: Node | undefined;
  /** The delta channels with a stored value in this checkpoint. */
  readonly whole: ReadonlySet<string>;
  readonly written: Set<string>;
}

interface Read {
  readonly tuple: CheckpointTuple | undefined;
  readonly history: Record<string, DeltaChannelHistory>;
}

describeAnyTarget("prune of a random history", (target) => {
  let threads = 0;

  async function build(saver: PostgresSaver, thread: string, steps: readonly Step[]): Promise<Node[]> {
    const nodes: Node[] = [];
    const versions = new Map<Node, Record<string, number>>();
    let version = 0;
    for (const [n, step] of steps.entries()) {
      const parent: Node | undefined = nodes.at(-Math.min(step.back, nodes.length));
      const base = threadConfig(thread, { checkpoint_ns: "" });
      const at = (id: string) => ({ configurable: { ...base.configurable, checkpoint_id: id } });
      const written = DELTA.filter((channel) => step.deltas[channel] === "write");
      if (parent !== undefined) {
        const writes = written.map((channel): [string, unknown] => [channel, [`${channel}${n}`]]);
        if (step.sends) writes.push([TASKS, `send ${n}`]);
        if (step.list) writes.push(["list", n]);
        if (step.scalar) writes.push(["scalar", n]);
        await saver.putWrites(at(parent.id), writes, `task ${n}`);
        for (const channel of written) parent.written.add(channel);
      }
      const whole = DELTA.filter((channel) => step.deltas[channel] === "whole");
      const values: Record<string, unknown> = Object.fromEntries(whole.map((name) => [name, [`all ${n}`]]));
      const changed = [...whole, ...written];
      if (step.list) changed.push("list");
      if (step.scalar) changed.push("scalar");
      // Before version 4, a checkpoint has no value of its sends.
      if (step.sends && parent !== undefined) changed.push(TASKS);
      if (step.sends && parent !== undefined && step.v === 4) values[TASKS] = [`send ${n}`];
      if (step.list) values.list = [n];
      if (step.scalar) values.scalar = n;
      const before = parent && versions.get(parent);
      const isNew = Object.fromEntries(changed.map((channel) => [channel, ++version]));
      // Years ago, so that no write counts as recent.
      const id = idAt(Date.UTC(2020, 0, 1) + n * 1000);
      const metadata: CheckpointMetadata = metadataOf(
        n,
        n === 0 ? { counters_since_delta_snapshot: { d: [1, 1], e: [0, 1] } } : {},
      );
      const checkpoint = {
        v: step.v,
        id,
        ts: "2020-01-01T00:00:00.000Z",
        channel_values: values,
        channel_versions: { ...before, ...isNew },
        versions_seen: {},
      };
      await saver.put(parent ? at(parent.id) : base, checkpoint, metadata, isNew);
      if (step.pending) await saver.putWrites(at(id), [["list", [`pending ${n}`]]], `later ${n}`);
      const carried = [...(parent?.whole ?? [])].filter((channel) => !written.includes(channel));
      const latest: Node = { id, parent, whole: new Set([...carried, ...whole]), written: new Set() };
      nodes.push(latest);
      versions.set(latest, { ...before, ...isNew });
    }
    await saver.putWrites(
      threadConfig(thread, { checkpoint_id: idAt(Date.UTC(2019, 0, 1)) }),
      [["list", ["never came"]]],
      "lost",
    );
    return nodes;
  }

  async function read(saver: PostgresSaver, thread: string, id: string): Promise<Read> {
    const config = threadConfig(thread, { checkpoint_ns: "", checkpoint_id: id });
    const tuple = await saver.getTuple(config);
    const channels = DELTA.filter((channel) => !(channel in (tuple?.checkpoint.channel_values ?? {})));
    return { tuple, history: await saver.getDeltaChannelHistory({ config, channels }) };
  }

  /** The ancestors that a checkpoint needs: up to the last one with a value or write of its delta channels. */
  function neededBy(node: Node): Set<string> {
    const needed = new Set<string>();
    for (const channel of DELTA.filter((name) => !node.whole.has(name))) {
      let passed: string[] = [];
      for (let at = node.parent; at !== undefined; at = at.parent) {
        passed.push(at.id);
        if (!at.written.has(channel) && !at.whole.has(channel)) continue;
        for (const id of passed) needed.add(id);
        passed = [];
        if (at.whole.has(channel)) break;
      }
    }
    return needed;
  }

  it("leaves checkpoints that read as before, and only the rows that they need (C9)", async () => {
    const database: TestDatabase = await target.migratedDatabase();
    const saver = new PostgresSaver(database.source, undefined, { retry: false });
    const law = async (steps: readonly Step[], keepLast: number, batchSize: number): Promise<void> => {
      const thread = `law ${threads++}`;
      const nodes = await build(saver, thread, steps);
      const kept = nodes.slice(-keepLast);
      const before = new Map<string, Read>();
      for (const { id } of nodes) before.set(id, await read(saver, thread, id));
      const rule = { keepLast, threads: [thread], batchSize, deleteUnproven: true };
      const rows = await rowsOf(database);

      const wouldDelete = await saver.prune({ ...rule, dryRun: true });
      expect(await rowsOf(database)).toEqual(rows);
      const went = await saver.prune(rule);

      expect({ ...went, dryRun: true }).toEqual(wouldDelete);
      const left = await rowsOf(database);
      const { checkpoints, writes, blobs, bytes } = went;
      const sums = Object.entries({ checkpoints, writes, blobs, bytes });
      for (const [name, deleted] of sums) expect(Number(left[name]) + deleted).toBe(rows[name]);
      for (const { id } of kept) expect(await read(saver, thread, id)).toEqual(before.get(id));
      const keptIds = new Set(kept.map(({ id }) => id));
      const needed = kept.flatMap((node) => [...neededBy(node)]).filter((id) => !keptIds.has(id));
      // The first checkpoint marks the delta channels. Without it, the next prune would not recognize them.
      const marker = needed.length > 0 ? nodes.slice(0, 1).map(({ id }) => id) : [];
      const expected = new Set([...keptIds, ...needed, ...marker]);
      const stored: string[] = [];
      for await (const tuple of saver.list(threadConfig(thread))) {
        stored.push(tuple.checkpoint.id);
        expect(tuple).toEqual(before.get(tuple.checkpoint.id)?.tuple);
      }
      expect(stored.sort()).toEqual([...expected].sort());
      expect(await orphanedBlobs(database)).toEqual([]);
      expect(await orphanedWrites(database)).toEqual([]);
      expect(await saver.prune(rule)).toMatchObject({ checkpoints: 0, writes: 0, blobs: 0, threads: 0 });
    };
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyStep, { minLength: 1, maxLength: 14 }),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 5 }),
        law,
      ),
      { ...runs(target.name === "postgres" ? 25 : 12), examples: [[FORKED, 1, 1]] },
    );
    await saver.end();
  });
});
