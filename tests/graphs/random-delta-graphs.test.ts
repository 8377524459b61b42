import { expect, it } from "@jest/globals";
import {
  Annotation,
  type BaseCheckpointSaver,
  Command,
  DeltaChannel,
  interrupt,
  Send,
  START,
  StateGraph,
} from "@langchain/langgraph";
import fc from "fast-check";
import { runs } from "../../test-support/runs.js";
import { describeGraphs, type GraphSuite } from "./support/describe-graphs.js";
import { historyOf } from "./support/history.js";
import { MirroredSaver } from "./support/reference-saver.js";

/** A graph of two super-steps, in which nodes and workers write to delta channels in parallel. */
interface Plan {
  /** The nodes of the first super-step, and the number of workers that each of them sends. */
  readonly nodes: readonly (readonly [name: string, sends: number])[];
  /** Whether one more node of the first super-step interrupts. */
  readonly asks: boolean;
  readonly snapshotFrequency: number;
  readonly durabilities: readonly ("sync" | "async" | "exit")[];
}

const plan: fc.Arbitrary<Plan> = fc.record({
  // Code points, code units and most locales sort these names differently.
  nodes: fc.uniqueArray(
    fc.tuple(fc.constantFrom("a", "B", "\u{fffd}", "\u{1f600}"), fc.constantFrom(0, 0, 1, 11)),
    { selector: ([name]) => name, minLength: 3, maxLength: 4 },
  ),
  asks: fc.boolean(),
  snapshotFrequency: fc.constantFrom(2, 1000, 1000),
  durabilities: fc.array(fc.constantFrom("sync", "async", "exit"), { minLength: 1, maxLength: 2 }),
});

const append = (current: string[], writes: string[][]): string[] => [...current, ...writes.flat()];
const REDUCERS = { log: concat, notes: concat };

function concat(current: string[] | undefined, added: string[]): string[] {
  return [...(current ?? []), ...added];
}

function build({ nodes, asks, snapshotFrequency }: Plan, checkpointer: BaseCheckpointSaver) {
  const channel = () => new DeltaChannel<string[], string[]>(append, { snapshotFrequency });
  const State = Annotation.Root({ log: channel(), notes: channel() });
  const both = (entry: string) => ({ log: [entry, `${entry}, again`], notes: [entry] });
  const graph = new StateGraph(State)
    .addNode("worker", ({ log }) => both(`worker for ${String(log)}`))
    .addNode("asks", () => both(asks ? String(interrupt("?")) : "asks not"))
    .addNode(nodes.map(([name]) => [name, () => both(name)] as [string, () => ReturnType<typeof both>]))
    .addEdge(START, "asks");
  for (const [name, sends] of nodes) {
    const workers = Array.from(
      { length: sends },
      (_, nth) => new Send("worker", { log: [name, String(nth)] }),
    );
    graph.addEdge(START, name).addConditionalEdges(name, () => workers, ["worker"]);
  }
  return graph.compile({ checkpointer });
}

async function expectSameAsMemory(suite: GraphSuite, each: Plan): Promise<void> {
  const memory = new MirroredSaver(suite.saver);
  const [reference, ours] = [build(each, memory), build(each, suite.saver)];
  const thread = suite.newThread();
  for (const durability of each.durabilities) {
    let live = await reference.invoke({ log: ["in"], notes: ["in"] }, { ...thread, durability });
    if (each.asks)
      live = await reference.invoke(new Command({ resume: "answer" }), { ...thread, durability });
    // An older engine loses the order of the writes that it stores when it exits.
    if (memory.gotTaskPaths || durability !== "exit")
      expect((await ours.getState(thread)).values).toEqual(live);
  }
  const history = await historyOf(reference, thread);
  expect(await historyOf(ours, thread)).toEqual(history);
  // At the oldest checkpoint the channels have no value yet.
  for (const snapshot of history.slice(0, -1).slice(0, 2)) {
    const fork = await suite.saver.fork(snapshot.config, { reducers: REDUCERS });
    expect((await ours.getState(fork)).values).toEqual(snapshot.values);
  }
}

describeGraphs(
  "a delta channel that nodes write to in parallel",
  (suite) => {
    it("is read and forked in the order in which LangGraph applied the writes, as with its in-memory saver", async () => {
      await fc.assert(
        fc.asyncProperty(plan, (each) => expectSameAsMemory(suite, each)),
        runs(8),
      );
    });
  },
  ["MessagePack"],
);
