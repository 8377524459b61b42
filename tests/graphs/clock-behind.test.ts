import { beforeEach, expect, it } from "@jest/globals";
import { Annotation, START, StateGraph } from "@langchain/langgraph";
import { ClockBehindError, PostgresSaver, ShallowPostgresSaver } from "../../src/index.js";
import { newThread, threadConfig } from "../../test-support/checkpoints.js";
import { onShiftedClock, stopClock } from "../../test-support/shifted-clock.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";

const SKEW_MS = 40;

const SAVERS = {
  PostgresSaver: ({ source }: TestDatabase) => new PostgresSaver(source),
  "keepLast: 3": ({ source }: TestDatabase) => new PostgresSaver(source, undefined, { keepLast: 3 }),
  ShallowPostgresSaver: ({ source }: TestDatabase) => new ShallowPostgresSaver(source),
};
const CASES = (["sync", "async", "exit"] as const).flatMap((durability) =>
  Object.entries(SAVERS).map(([name, open]) => ({ name, open, durability })),
);

const add = () => Annotation<number>({ reducer: (sum, n) => sum + n, default: () => 0 });
const last = () => Annotation<number>({ reducer: (_before, n) => n, default: () => 0 });
const State = Annotation.Root({ turns: add(), inChild: last() });
const ChildState = Annotation.Root({ seen: add(), inChild: last() });

/** Counts its turns, and those of a subgraph whose namespace is the same in all turns. */
function graphOn(checkpointer: PostgresSaver | ShallowPostgresSaver) {
  const child = new StateGraph(ChildState)
    .addNode("see", ({ seen }) => ({ seen: 1, inChild: seen + 1 }))
    .addEdge(START, "see")
    .compile({ checkpointer: true });
  return new StateGraph(State)
    .addNode("turn", () => ({ turns: 1 }))
    .addNode("child", child)
    .addEdge(START, "turn")
    .addEdge("turn", "child")
    .compile({ checkpointer });
}

describeAnyTarget("turns of a thread on machines whose clocks differ (C17)", (target) => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await target.sharedDatabase();
  });

  it.each(CASES)(
    "are all seen by the next one: $name, durability $durability",
    async ({ open, durability }) => {
      const config = { ...threadConfig(newThread()), durability };
      // Each machine has a saver of its own.
      const [first, second] = [open(database), open(database)];
      for (let turn = 1; turn <= 4; turn++) {
        const isAhead = turn % 2 === 1;
        const graph = graphOn(isAhead ? first : second);
        const state = await onShiftedClock(isAhead ? SKEW_MS : 0, () => graph.invoke({ turns: 0 }, config));
        expect(state).toEqual({ turns: turn, inChild: turn });
      }
      expect((await graphOn(second).getState(config)).values).toEqual({ turns: 4, inChild: 4 });
      await Promise.all([first.end(), second.end()]);
    },
  );

  it("are refused, and not lost, where the clock is set back during a run", async () => {
    const saver = new PostgresSaver(database.source);
    const config = { ...threadConfig(newThread()), durability: "sync" as const };
    let starts = 0;
    const graph = new StateGraph(State)
      .addNode("turn", () => {
        // LangGraph doesn't wait for the write of the node before the run rejects, so that the next run may do the node again.
        if (++starts === 1) stopClock(Date.now() - 60_000);
        return { turns: 1 };
      })
      .addEdge(START, "turn")
      .compile({ checkpointer: saver });
    const run = onShiftedClock(0, () => graph.invoke({ turns: 0 }, config));
    await expect(run).rejects.toBeInstanceOf(ClockBehindError);
    expect(await graph.invoke(null, config)).toMatchObject({ turns: 1 });
    await saver.end();
  });
});
