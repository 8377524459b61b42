import { describe, expect, it } from "@jest/globals";
import { BaseCallbackHandler } from "@langchain/core/callbacks/base";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import {
  Annotation,
  type LangGraphRunnableConfig,
  MessagesAnnotation,
  NodeInterrupt,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { MemoryCheckpointStore, recordCheckpoints } from "../../src/checkpoint-store/index.js";

const store = new MemoryCheckpointStore();
const State = Annotation.Root({
  ...MessagesAnnotation.spec,
  turns: Annotation<number>({ reducer: (all, more) => all + more, default: () => 0 }),
});

/** A cycle with a subgraph, nodes in parallel, messages and custom chunks. */
function branchingGraph() {
  const inner = new StateGraph(State)
    .addNode("think", (_: unknown, { writer }: LangGraphRunnableConfig) => {
      writer?.("thinking");
      return { messages: [new AIMessage({ content: "thought", id: "thought" })] };
    })
    .addEdge(START, "think")
    .compile();
  return new StateGraph(State)
    .addNode("inner", inner)
    .addNode("count", () => ({ turns: 1 }))
    .addNode("rest", () => ({}))
    .addEdge(START, "inner")
    .addEdge(START, "rest")
    .addEdge("inner", "count")
    .addConditionalEdges("count", ({ turns }) => (turns < 3 ? "count" : "__end__"))
    .compile();
}

/** Notes the names of the chains that begin. */
class ChainNames extends BaseCallbackHandler {
  readonly name = "chain-names";
  readonly names: string[];

  constructor(names: string[]) {
    super();
    this.names = names;
  }

  override handleChainStart(...[, , , , , , , name]: unknown[]): void {
    this.names.push(String(name));
  }
}

const INPUT = { messages: [new HumanMessage({ content: "hi", id: "hi" })] };

async function chunksOf(stream: Promise<AsyncIterable<unknown>>): Promise<unknown[]> {
  const chunks: unknown[] = [];
  for await (const chunk of await stream) chunks.push(chunk);
  return chunks;
}

/** Without the ids of tasks, which each run has its own of. */
function comparable(chunks: unknown): unknown {
  const text = JSON.stringify(chunks, (_, value: unknown) => (value instanceof Map ? [...value] : value));
  return JSON.parse(
    text
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, "id")
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "time"),
  );
}

describe("a recorded graph streams what the graph streams", () => {
  it.each<["values" | "updates" | "messages" | "custom" | "tasks" | "debug" | "checkpoints"]>([
    ["values"],
    ["updates"],
    ["messages"],
    ["custom"],
    ["tasks"],
    ["debug"],
    ["checkpoints"],
  ])("in the mode %s, with and without subgraphs", async (streamMode) => {
    const graph = branchingGraph();
    const recorded = recordCheckpoints(graph, { store });
    const expectSame = async (options: Parameters<typeof graph.stream>[1]) => {
      const expected = comparable(await chunksOf(graph.stream(INPUT, options)));
      expect(comparable(await chunksOf(recorded.stream(INPUT, options)))).toEqual(expected);
    };
    await expectSame({ streamMode });
    await expectSame({ streamMode, subgraphs: true });
    await expectSame({ streamMode: [streamMode] });
    await expectSame({ streamMode: [streamMode, "custom"], subgraphs: true });
    expect((await recorded.listCheckpoints()).slice(-4).map(({ nodeName }) => nodeName)).toEqual([
      "inner,rest",
      "count",
      "count",
      "count",
    ]);
  });

  it("without a mode, also if the graph has one of its own", async () => {
    const graph = branchingGraph();
    const recorded = recordCheckpoints(graph, { store });
    const expected = comparable(await chunksOf(graph.stream(INPUT)));
    expect(comparable(await chunksOf(recorded.stream(INPUT)))).toEqual(expected);
    graph.streamMode = ["values", "custom"];
    const both = comparable(await chunksOf(graph.stream(INPUT)));
    expect(comparable(await chunksOf(recordCheckpoints(graph, { store }).stream(INPUT)))).toEqual(both);
    expect(both).not.toEqual(expected);
  });

  it("inside of a node of another graph, with its callbacks and with subgraphs", async () => {
    const inner = branchingGraph();
    const recorded = recordCheckpoints(inner, { store });
    const seen: string[][] = [];
    const run = async (stream: typeof inner.stream) => {
      const names: string[] = [];
      const outer = new StateGraph(State)
        .addNode("outer", async () => {
          names.push(JSON.stringify(comparable(await chunksOf(stream(INPUT)))));
          names.push(
            JSON.stringify(
              comparable(await chunksOf(stream(INPUT, { streamMode: ["updates"], subgraphs: true }))),
            ),
          );
          return {};
        })
        .addEdge(START, "outer")
        .compile();
      const callbacks = [new ChainNames(names)];
      await outer.invoke(INPUT, { callbacks });
      seen.push(names.sort());
    };
    await run((input, options) => inner.stream(input, options));
    await run((input, options) => recorded.stream(input, options));
    expect(seen[1]).toEqual(seen[0]);
    expect(await recorded.listCheckpoints()).toHaveLength(8);
  });

  it("as invoke returns what the graph's invoke returns: outputs, chunks and interrupts", async () => {
    const graph = branchingGraph();
    const recorded = recordCheckpoints(graph, { store });
    expect(await recorded.invoke(INPUT)).toEqual(await graph.invoke(INPUT));
    const options = { streamMode: "updates" as const };
    expect(comparable(await recorded.invoke(INPUT, options))).toEqual(
      comparable(await graph.invoke(INPUT, options)),
    );
    const before = { interruptBefore: ["count" as const] };
    expect(await recorded.invoke(INPUT, before)).toEqual(await graph.invoke(INPUT, before));
    const Output = Annotation.Root({ turns: Annotation<number> });
    const narrow = new StateGraph({ state: State, output: Output })
      .addNode("count", () => ({ turns: 1, messages: [] }))
      .addEdge(START, "count")
      .compile();
    const narrowed = recordCheckpoints(narrow, { store });
    expect(await narrowed.invoke(INPUT)).toEqual({ turns: 1 });
    expect((await narrowed.listCheckpoints())[0]?.state).toEqual({ turns: 1, ...INPUT });
  });

  it("and passes a dynamic interrupt on once the state before it is stored", async () => {
    const graph = new StateGraph(State)
      .addNode("count", () => ({ turns: 1 }))
      .addNode("ask", () => {
        throw new NodeInterrupt("really?");
      })
      .addEdge(START, "count")
      .addEdge("count", "ask")
      .compile();
    const recorded = recordCheckpoints(graph, { store, autoSave: false });
    expect(await recorded.invoke(INPUT)).toEqual(await graph.invoke(INPUT));
    expect(await recorded.listCheckpoints()).toMatchObject([{ nodeName: "count", state: { turns: 1 } }]);
    const interrupted: number[] = [];
    for await (const chunk of await recorded.stream(INPUT, { streamMode: "updates" })) {
      if ("__interrupt__" in chunk) interrupted.push((await recorded.listCheckpoints()).length);
    }
    expect(interrupted).toEqual([2]);
  });

  it("and fails where the graph fails", async () => {
    const graph = new StateGraph(State)
      .addNode("bad", () => {
        throw new TypeError("bad");
      })
      .addEdge(START, "bad")
      .compile();
    const recorded = recordCheckpoints(graph, { store });
    await expect(graph.stream(INPUT)).rejects.toThrow(TypeError);
    await expect(recorded.stream(INPUT)).rejects.toThrow(TypeError);
    const stream = await recorded.stream(INPUT, { streamMode: "values" });
    await expect(chunksOf(Promise.resolve(stream))).rejects.toThrow(TypeError);
    const aborted = { signal: AbortSignal.abort(new Error("enough")) };
    await expect(graph.invoke(INPUT, aborted)).rejects.toThrow("enough");
    await expect(recorded.invoke(INPUT, aborted)).rejects.toThrow("enough");
  });
});
