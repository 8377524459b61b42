import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { Annotation, Command, DeltaChannel, interrupt, START, StateGraph } from "@langchain/langgraph";
import { PostgresSaver, ShallowPostgresSaver } from "../../src/index.js";
import { collect, newThread, threadConfig } from "../../test-support/checkpoints.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";
import { rowsOf } from "../../test-support/thread-rows.js";

const append = (current: string[], added: string[]): string[] => [...current, ...added];
const log = () => Annotation<string[]>({ reducer: append, default: () => [] });
const Log = Annotation.Root({ log: log() });

/** Writes every marker to a delta channel and to a plain channel, which must have the same value. */
const Both = Annotation.Root({
  plain: log(),
  delta: new DeltaChannel<string[], string[]>((current, writes) => append(current, writes.flat()), {
    snapshotFrequency: 5,
  }),
});

describeAnyTarget("graphs on a shallow saver", (target) => {
  let database: TestDatabase;
  let saver: ShallowPostgresSaver;

  beforeAll(async () => {
    database = await target.migratedDatabase();
    saver = new ShallowPostgresSaver(database.source);
  });
  afterAll(() => saver.end());

  it("continue from turn to turn, and keep one checkpoint", async () => {
    const graph = new StateGraph(Log)
      .addNode("a", () => ({ log: ["a"] }))
      .addNode("b", () => ({ log: ["b"] }))
      .addEdge(START, "a")
      .addEdge("a", "b")
      .compile({ checkpointer: saver });
    const thread = newThread();
    for (const turn of ["1", "2", "3"]) await graph.invoke({ log: [turn] }, threadConfig(thread));
    const { values } = (await graph.getState(threadConfig(thread))) as { values: typeof Log.State };
    expect(values).toEqual({ log: ["1", "a", "b", "2", "a", "b", "3", "a", "b"] });
    expect(await collect(graph.getStateHistory(threadConfig(thread)))).toHaveLength(1);
    expect((await rowsOf(database, thread)).checkpoints).toBe(1);
  });

  it.each(["sync", "async", "exit"] as const)(
    "keep an interrupt until it is answered, also in a subgraph, with durability %s",
    async (durability) => {
      const inner = new StateGraph(Log)
        .addNode("ask", () => ({ log: [`inner ${String(interrupt("inner?"))}`] }))
        .addEdge(START, "ask")
        .compile();
      const graph = new StateGraph(Log)
        .addNode("first", () => ({ log: [`outer ${String(interrupt("outer?"))}`] }))
        .addNode("inner", inner)
        .addEdge(START, "first")
        .addEdge("first", "inner")
        .compile({ checkpointer: saver });
      const config = { ...threadConfig(newThread()), durability };
      await graph.invoke({ log: ["in"] }, config);
      expect((await graph.getState(config)).tasks).toMatchObject([{ interrupts: [{ value: "outer?" }] }]);
      await graph.invoke(new Command({ resume: "1" }), config);
      expect((await graph.getState(config)).tasks).toMatchObject([{ interrupts: [{ value: "inner?" }] }]);
      const { log: markers } = await graph.invoke(new Command({ resume: "2" }), config);
      expect(markers.slice(0, 2)).toEqual(["in", "outer 1"]);
      expect(markers).toContain("inner 2");
    },
  );

  it("keep the writes of delta channels until a snapshot is stored", async () => {
    const graph = new StateGraph(Both)
      .addNode("reply", ({ plain }) => {
        const marker = [`reply to ${plain.at(-1) ?? ""}`];
        return { plain: marker, delta: marker };
      })
      .addEdge(START, "reply")
      .compile({ checkpointer: saver });
    const thread = newThread();
    const checkpoints = new Set<number>();
    for (let turn = 0; turn < 12; turn++) {
      const marker = [String(turn)];
      await graph.invoke({ plain: marker, delta: marker }, threadConfig(thread));
      if (turn % 4 === 1)
        await graph.updateState(threadConfig(thread), { plain: ["u"], delta: ["u"] }, "reply");
      const { values } = (await graph.getState(threadConfig(thread))) as {
        values: typeof Both.State;
      };
      expect(values.delta).toEqual(values.plain);
      checkpoints.add((await rowsOf(database, thread)).checkpoints);
      expect(await collect(saver.list(threadConfig(thread)))).toHaveLength(1);
    }
    expect(Math.min(...checkpoints)).toBeLessThan(Math.max(...checkpoints));
    expect(Math.max(...checkpoints)).toBeLessThan(12 * 3);
  });

  it("continue a thread that a saver with history began", async () => {
    const full = new PostgresSaver(database.source);
    const build = (checkpointer: PostgresSaver | ShallowPostgresSaver) =>
      new StateGraph(Log)
        .addNode("a", () => ({ log: ["a"] }))
        .addEdge(START, "a")
        .compile({ checkpointer });
    const thread = newThread();
    await build(full).invoke({ log: ["1"] }, threadConfig(thread));
    await build(saver).invoke({ log: ["2"] }, threadConfig(thread));
    await build(full).invoke({ log: ["3"] }, threadConfig(thread));
    const { values } = (await build(saver).getState(threadConfig(thread))) as { values: typeof Log.State };
    expect(values).toEqual({ log: ["1", "a", "2", "a", "3", "a"] });
    await full.end();
  });
});
