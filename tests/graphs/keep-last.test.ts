import { beforeAll, expect, it } from "@jest/globals";
import { Annotation, DeltaChannel, START, StateGraph } from "@langchain/langgraph";
import fc from "fast-check";
import { PostgresSaver, ShallowPostgresSaver } from "../../src/index.js";
import {
  checkpointOf,
  collect,
  listIds,
  metadataOf,
  newThread,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { runs } from "../../test-support/runs.js";
import { describeAnyTarget, describeServer, type TestDatabase } from "../../test-support/targets.js";
import { rowsOf } from "../../test-support/thread-rows.js";
import { MirroredSaver } from "./support/reference-saver.js";

const append = (current: string[], added: string[]): string[] => [...current, ...added];
const plainLog = () => Annotation<string[]>({ reducer: append, default: () => [] });
const deltaLog = (snapshotFrequency: number) =>
  new DeltaChannel<string[], string[]>((current, writes) => append(current, writes.flat()), {
    snapshotFrequency,
  });

/** Each turn continues the newest checkpoint, or forks one of those that must still be there. */
const history = fc.record({
  keepLast: fc.integer({ min: 1, max: 6 }),
  snapshotFrequency: fc.constantFrom(2, 4, 1000),
  splices: fc.boolean(),
  turns: fc.array(
    fc.record({
      kind: fc.constantFrom("invoke", "invoke", "update"),
      back: fc.constantFrom(0, 0, 1, 2, 5),
    }),
    { minLength: 4, maxLength: 10 },
  ),
});

describeAnyTarget("a saver with keepLast", (target) => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await target.sharedDatabase();
  });

  it("keeps the newest checkpoints of a thread with all of their values, whatever branches and delta channels it has", async () => {
    await fc.assert(
      fc.asyncProperty(history, async ({ keepLast, snapshotFrequency, splices, turns }) => {
        const saver = new PostgresSaver(database.source, undefined, { keepLast, splices });
        const everything = new MirroredSaver(saver);
        const State = Annotation.Root({ plain: plainLog(), delta: deltaLog(snapshotFrequency) });
        const graph = new StateGraph(State)
          .addNode("reply", ({ plain }) => ({ plain: [`r${plain.length}`], delta: [`r${plain.length}`] }))
          .addEdge(START, "reply");
        const ours = graph.compile({ checkpointer: saver });
        const reference = graph.compile({ checkpointer: everything });
        const thread = newThread();
        const newestIds = async () =>
          (await listIds(everything.list(threadConfig(thread)))).sort().reverse().slice(0, keepLast);
        for (const [nth, { kind, back }] of turns.entries()) {
          const kept = await newestIds();
          // An older engine applies the writes of other branches to the delta channels of a fork.
          const forks = everything.gotTaskPaths && back > 0;
          const id = { checkpoint_ns: "", checkpoint_id: kept[back % kept.length] };
          const from = threadConfig(thread, forks ? id : {});
          const values = { plain: [String(nth)], delta: [String(nth)] };
          if (kind === "invoke") await reference.invoke(values, from);
          else await reference.updateState(from, values, "reply");
          for (const checkpoint_id of await newestIds()) {
            const config = threadConfig(thread, { checkpoint_id });
            expect((await ours.getState(config)).values).toEqual((await reference.getState(config)).values);
          }
        }
        await saver.end();
      }),
      runs(10),
    );
  });

  it("deletes older checkpoints with their writes and values, also in a batch, and leaves other namespaces alone", async () => {
    const saver = new PostgresSaver(database.source, undefined, { keepLast: 2, concurrency: "optimistic" });
    const thread = newThread();
    await putValues(saver, threadConfig(thread, { checkpoint_ns: "child" }), { list: ["child"] });
    let last = await putValues(saver, threadConfig(thread), { list: [0], same: ["same"] });
    const ids = [last.checkpoint.id];
    for (let step = 1; step <= 3; step++) {
      await saver.putWrites(last.config, [["list", step]], "task");
      last = await saver.batch(async (batch) => {
        const checkpoint = checkpointOf(saver, { list: [step] }, last.checkpoint);
        checkpoint.channel_values.same = ["same"];
        const version = { list: checkpoint.channel_versions.list ?? 0 };
        return { config: await batch.put(last.config, checkpoint, metadataOf(step), version), checkpoint };
      });
      ids.push(last.checkpoint.id);
    }
    expect(await listIds(saver.list(threadConfig(thread, { checkpoint_ns: "" })))).toEqual(
      ids.slice(-2).reverse(),
    );
    expect(await rowsOf(database, thread)).toEqual({ checkpoints: 3, blobs: 4, writes: 1 });
    const values = await collect(saver.list(threadConfig(thread, { checkpoint_ns: "" })));
    expect(values.map(({ checkpoint }) => checkpoint.channel_values)).toEqual([
      { list: [3], same: ["same"] },
      { list: [2], same: ["same"] },
    ]);
    await saver.end();
  });

  it("is refused for a shallow saver, which always keeps one", () => {
    const options: object = { keepLast: 5 };
    expect(() => new ShallowPostgresSaver(database.source, undefined, options)).toThrow(/keepLast/);
  });
});

describeServer("savers with keepLast of one thread at the same time", (target) => {
  it("leave exactly the newest checkpoints of all branches, each with its values (C3, C7)", async () => {
    const { source } = await target.sharedDatabase();
    const pool = { connectionString: source, max: 6 };
    const open = () => new PostgresSaver(pool, undefined, { retry: false, keepLast: 3 });
    const [saver, other] = [open(), open()];
    for (let round = 0; round < 15; round++) {
      const thread = newThread();
      const base = await putValues(saver, threadConfig(thread), { a: [0], b: ["b"] });
      const puts = Array.from({ length: 8 }, async (_, nth) => {
        const next = checkpointOf(saver, { a: [nth] }, base.checkpoint);
        next.channel_values = { ...base.checkpoint.channel_values, ...next.channel_values };
        const by = nth % 2 === 0 ? saver : other;
        await by.put(base.config, next, metadataOf(), { a: next.channel_versions.a ?? 0 });
        return next;
      });
      const stored = (await Promise.all(puts)).sort((x, y) => (x.id < y.id ? 1 : -1));
      const left = await collect(saver.list(threadConfig(thread)));
      expect(left.map(({ checkpoint: { id, channel_values } }) => [id, channel_values])).toEqual(
        stored.slice(0, 3).map(({ id, channel_values }) => [id, channel_values]),
      );
    }
    await saver.end();
    await other.end();
  });
});
