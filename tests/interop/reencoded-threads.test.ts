import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { BaseMessage, HumanMessage } from "@langchain/core/messages";
import {
  Annotation,
  type BaseCheckpointSaver,
  START,
  StateGraph,
  type StateSnapshot,
} from "@langchain/langgraph";
import { PostgresSaver as OfficialSaver } from "@langchain/langgraph-checkpoint-postgres";
import pg from "pg";
import { PostgresSaver } from "../../src/index.js";
import { JsonSerializer } from "../../src/serde/index.js";
import { broken, deltas, fanOut, nested, parallel, talk } from "./agents.js";
import { besidePython } from "./beside-python.js";
import { describePythonGraphs } from "./python-graphs.js";
import { configOf } from "./two-languages.js";

interface Graph {
  getStateHistory(config: ReturnType<typeof configOf>): AsyncIterable<StateSnapshot>;
}

const INPUT = { log: ["in"] };
const LOG = ["in", "left", "right", "join"];

const State = Annotation.Root({
  log: Annotation<string[]>({ reducer: (held, added) => [...held, ...added], default: () => [] }),
});

/** The graph `uneven` of serve_graphs.py. */
function uneven(checkpointer: BaseCheckpointSaver) {
  const says = (name: string) => () => ({ log: [name] });
  return new StateGraph(State)
    .addNode("short", says("short"))
    .addNode("long", says("long"))
    .addNode("longer", says("longer"))
    .addNode("late", says("late"), { defer: true })
    .addEdge(START, "short")
    .addEdge(START, "long")
    .addEdge("long", "longer")
    .addEdge("short", "late")
    .addEdge("longer", "late")
    .compile({ checkpointer });
}

await describePythonGraphs("a thread of the official JavaScript saver", (target, start) => {
  const shared = besidePython(target, start);
  let official: OfficialSaver;
  let pool: pg.Pool;

  beforeAll(() => {
    pool = new pg.Pool({ connectionString: shared.database.source });
    pool.on("connect", (client) => client.on("error", () => undefined));
    official = new OfficialSaver(pool);
  });

  afterAll(() => pool.end());

  /** The facts of each checkpoint that both languages read, newest first. */
  async function historyOf(graph: Graph, thread: string): Promise<unknown[]> {
    const history: unknown[] = [];
    for await (const { config, parentConfig, values, next, metadata } of graph.getStateHistory(
      configOf(thread),
    ))
      history.push({
        id: idOf(config),
        parent: idOf(parentConfig),
        values: plain(values),
        next: [...next].sort(),
        step: metadata?.step,
      });
    return history;
  }

  function idOf(config: StateSnapshot["parentConfig"]): unknown {
    const id: unknown = config?.configurable?.checkpoint_id;
    return id ?? null;
  }

  /** A message as class, content and id, as the Python side of these tests writes it. */
  function plain(values: unknown): unknown {
    return JSON.parse(
      JSON.stringify(values, function (this: Record<string, unknown>, key, value: unknown) {
        const held = this[key];
        return BaseMessage.isInstance(held)
          ? { class: held.constructor.name, content: held.content, id: held.id }
          : value;
      }),
    );
  }

  /** Copies a thread, and expects Python to read the same checkpoints from the copy as JavaScript from the thread. */
  async function copied(
    name: string,
    agent: (checkpointer: BaseCheckpointSaver) => Graph,
    thread: string,
  ): Promise<string> {
    const copy = `${thread} for Python`;
    await shared.saver.copyThread(thread, copy, { reencode: true });
    const expected = await historyOf(agent(official), thread);
    expect(expected.length).toBeGreaterThan(1);
    const { history } = await shared.python.do("history", { graph: name, thread: copy });
    expect(plain(history)).toEqual(expected);
    expect((await shared.saver.verify(copy)).problems).toEqual([]);
    return copy;
  }

  async function valuesIn(graph: string, thread: string): Promise<unknown> {
    return (await shared.python.do("state", { graph, thread })).values;
  }

  it("can't be continued in Python without a copy", async () => {
    await parallel(official).invoke(INPUT, configOf("as it is"));
    await expect(
      shared.python.do("run", { graph: "parallel", thread: "as it is", input: INPUT }),
    ).rejects.toThrow(/has no attribute 'split'|not supported between/);
  });

  it("can be continued in Python as a reencoded copy, and then here", async () => {
    await parallel(official).invoke(INPUT, configOf("parallel"));
    await parallel(official).invoke(INPUT, configOf("parallel"));
    const copy = await copied("parallel", parallel, "parallel");
    await shared.python.do("run", { graph: "parallel", thread: copy, input: INPUT });
    expect(await valuesIn("parallel", copy)).toEqual({ log: [...LOG, ...LOG, ...LOG] });
    await parallel(shared.saver).invoke(INPUT, configOf(copy));
    expect(await valuesIn("parallel", copy)).toEqual({ log: [...LOG, ...LOG, ...LOG, ...LOG] });
  });

  it("keeps the Sends and the pending writes of its newest checkpoint", async () => {
    await fanOut(official).invoke(INPUT, configOf("sends"));
    const sends = await copied("fan_out", fanOut, "sends");
    await shared.python.do("run", { graph: "fan_out", thread: sends });
    expect(await valuesIn("fan_out", sends)).toEqual({
      log: ["in", "split", "work 0 at 0", "work 1 at 1", "work 2 at 2"],
    });

    broken.add("right");
    await expect(parallel(official).invoke(INPUT, configOf("failed"))).rejects.toThrow("right is broken");
    broken.clear();
    const copy = "failed for Python";
    await shared.saver.copyThread("failed", copy, { reencode: true });
    const original = await shared.saver.getTuple(configOf("failed"));
    expect(original?.pendingWrites?.length).toBeGreaterThan(2);
    expect((await shared.saver.getTuple(configOf(copy)))?.pendingWrites).toEqual(original?.pendingWrites);
    await shared.python.do("run", { graph: "parallel", thread: copy });
    expect(await valuesIn("parallel", copy)).toEqual({ log: LOG });
  });

  it("keeps messages, and the interrupt at its end", async () => {
    const says = { messages: [new HumanMessage({ content: "one", id: "one" })] };
    await talk(official).invoke(says, configOf("talk"));
    const copy = await copied("talk", talk, "talk");
    await shared.python.do("run", { graph: "talk", thread: copy, resume: "two" });
    expect(await valuesIn("talk", copy)).toMatchObject({
      messages: [
        { class: "HumanMessage", content: "one" },
        { class: "AIMessage" },
        { class: "ToolMessage" },
        { class: "HumanMessage", content: "two" },
      ],
    });
  });

  it("keeps the values of delta channels, and continues with them", async () => {
    for (const round of ["1", "2", "3"])
      await deltas(official).invoke({ delta: [round], plain: [round] }, configOf("deltas"));
    const copy = await copied("deltas", deltas, "deltas");
    await shared.python.do("run", { graph: "deltas", thread: copy, input: { delta: ["4"], plain: ["4"] } });
    const { delta, plain: both } = (await valuesIn("deltas", copy)) as { delta: unknown[]; plain: unknown[] };
    expect(delta).toHaveLength(12);
    expect(delta).toEqual(both);
  });

  it("keeps deferred nodes waiting for all other nodes", async () => {
    await uneven(official).invoke(INPUT, configOf("uneven"));
    const copy = await copied("uneven", uneven, "uneven");
    await shared.python.do("run", { graph: "uneven", thread: copy, input: { log: ["again"] } });
    const log = ["long", "short", "longer", "late"];
    expect(await valuesIn("uneven", copy)).toEqual({ log: ["in", ...log, "again", ...log] });
  });

  it("keeps its subgraphs", async () => {
    await nested(official).invoke(INPUT, configOf("nested"));
    const copy = await copied("nested", nested, "nested");
    await shared.python.do("run", { graph: "nested", thread: copy });
    expect(await shared.python.do("state", { graph: "nested", thread: copy })).toMatchObject({
      next: ["inner"],
    });
  });

  it("keeps its branches, also after this library continued it with numeric versions", async () => {
    const json = new PostgresSaver(shared.database.source, new JsonSerializer());
    await parallel(official).invoke(INPUT, configOf("forked"));
    for await (const state of parallel(json).getStateHistory(configOf("forked"))) {
      if (!state.next.includes("join")) continue;
      await parallel(json).invoke(
        null,
        await parallel(json).updateState(state.config, { log: ["forked"] }, "right"),
      );
      break;
    }
    await json.end();
    const copy = await copied("parallel", (checkpointer) => parallel(checkpointer), "forked");
    await shared.python.do("run", { graph: "parallel", thread: copy, input: INPUT });
    expect(await valuesIn("parallel", copy)).toEqual({
      log: ["in", "left", "right", "forked", "join", ...LOG],
    });
  });

  it("can be replaced by its reencoded copy", async () => {
    await parallel(official).invoke(INPUT, configOf("in place"));
    await shared.saver.copyThread("in place", "meanwhile", { reencode: true });
    await shared.saver.deleteThread("in place");
    await shared.saver.copyThread("meanwhile", "in place");
    await shared.saver.deleteThread("meanwhile");
    await shared.python.do("run", { graph: "parallel", thread: "in place", input: INPUT });
    expect(await valuesIn("parallel", "in place")).toEqual({ log: [...LOG, ...LOG] });
  });
});
