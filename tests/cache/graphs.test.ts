import { expect, it } from "@jest/globals";
import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { Annotation, entrypoint, MessagesAnnotation, Send, StateGraph, task } from "@langchain/langgraph";
import type { BaseCache } from "@langchain/langgraph-checkpoint";
import { PostgresCache } from "../../src/cache/index.js";
import { freePort } from "../../test-support/free-port.js";
import { describeAnyTarget, describeServer } from "../../test-support/targets.js";
import { later, useCache } from "./cached.js";

const State = Annotation.Root({
  n: Annotation<number>,
  log: Annotation<string[]>({ reducer: (all, added) => [...all, ...added], default: () => [] }),
});

/** A graph with a cached node, and how often the node has run. */
function countingGraph(cache?: BaseCache, word = "ran", ttl?: number) {
  const runs = { count: 0 };
  const node = ({ n }: typeof State.State) => {
    runs.count++;
    return { log: [`${word} ${n}`] };
  };
  const graph = new StateGraph(State)
    .addNode("node", node, { cachePolicy: ttl === undefined ? {} : { ttl } })
    .addEdge("__start__", "node")
    .compile(cache && { cache });
  return { graph, runs };
}

describeAnyTarget("a graph with a cache", (target) => {
  const suite = useCache(target);

  it("runs a node once for equal inputs, and in all processes", async () => {
    const first = countingGraph(suite.cache);
    const second = countingGraph(suite.open());
    expect((await first.graph.invoke({ n: 1 })).log).toEqual(["ran 1"]);
    expect((await first.graph.invoke({ n: 1 })).log).toEqual(["ran 1"]);
    expect((await second.graph.invoke({ n: 1 })).log).toEqual(["ran 1"]);
    expect([first.runs.count, second.runs.count]).toEqual([1, 0]);
    await first.graph.invoke({ n: 2 });
    expect(first.runs.count).toBe(2);
  });

  it("runs a node again after its ttl, and after clearCache", async () => {
    const { graph, runs } = countingGraph(suite.cache, "ran", 10);
    await graph.invoke({ n: 1 });
    await suite.database.exec(later(9));
    await graph.invoke({ n: 1 });
    expect(runs.count).toBe(1);
    await suite.database.exec(later(1));
    await graph.invoke({ n: 1 });
    expect(runs.count).toBe(2);
    await graph.clearCache();
    await graph.invoke({ n: 1 });
    expect(runs.count).toBe(3);
  });

  it("keeps to its keyPrefix where another graph has a node with the same name", async () => {
    const shared = [countingGraph(suite.cache, "a"), countingGraph(suite.cache, "b")];
    const apart = ["a", "b"].map((keyPrefix) => countingGraph(suite.open({ keyPrefix }), keyPrefix));
    const logs = async (graphs: typeof shared) => {
      const results = [];
      for (const { graph } of graphs) results.push((await graph.invoke({ n: 1 })).log);
      return results;
    };
    expect(await logs(shared)).toEqual([["a 1"], ["a 1"]]);
    expect(await logs(apart)).toEqual([["a 1"], ["b 1"]]);
    await apart[0]?.graph.clearCache();
    await logs(apart);
    expect(apart.map(({ runs }) => runs.count)).toEqual([2, 1]);
  });

  it("gives each of equal Sends its result once", async () => {
    const runs: number[] = [];
    const graph = new StateGraph(State)
      .addNode("plan", () => ({}))
      .addNode(
        "work",
        (input: { id: number }) => {
          runs.push(input.id);
          return { log: [`w${input.id}`] };
        },
        { cachePolicy: {} },
      )
      .addEdge("__start__", "plan")
      .addConditionalEdges("plan", () => [2, 2, 3].map((id) => new Send("work", { id })), ["work"])
      .compile({ cache: suite.cache });
    for (let n = 0; n < 3; n++) {
      const { log } = await graph.invoke({ n: 1 });
      expect([...log].sort()).toEqual(["w2", "w2", "w3"]);
    }
    expect(new Set(runs)).toEqual(new Set([2, 3]));
  });

  it("caches tasks", async () => {
    let runs = 0;
    const square = task({ name: "square", cachePolicy: { ttl: 60 } }, (n: number) => {
      runs++;
      return Promise.resolve({ square: n * n });
    });
    const workflow = entrypoint({ name: "squares", cache: suite.cache }, async (n: number) => {
      const [one, other, next] = await Promise.all([square(n), square(n), square(n + 1)]);
      return [one.square, other.square, next.square];
    });
    expect(await workflow.invoke(3)).toEqual([9, 9, 16]);
    const before = runs;
    expect(await workflow.invoke(3)).toEqual([9, 9, 16]);
    expect(runs).toBeLessThanOrEqual(before + 1);
  });

  it("caches the nodes of a subgraph that has the cache, and the subgraph as a node", async () => {
    const inner = countingGraph(suite.cache, "inner");
    const outer = new StateGraph(State)
      .addNode("sub", inner.graph)
      .addEdge("__start__", "sub")
      .compile({ cache: suite.cache });
    const cached = new StateGraph(State)
      .addNode("sub", inner.graph, { cachePolicy: {} })
      .addEdge("__start__", "sub")
      .compile({ cache: suite.cache });
    for (let n = 0; n < 2; n++) {
      expect((await outer.invoke({ n: 1 })).log).toEqual(["inner 1"]);
      expect((await cached.invoke({ n: 1 })).log).toEqual(["inner 1"]);
    }
    expect(inner.runs.count).toBe(1);
  });

  it("does not pass it on to a subgraph, which has to have it too", async () => {
    const { graph, runs } = countingGraph();
    const outer = new StateGraph(State)
      .addNode("sub", graph)
      .addEdge("__start__", "sub")
      .compile({ cache: suite.cache });
    for (let n = 0; n < 2; n++) await outer.invoke({ n: 1 });
    expect(runs.count).toBe(2);
  });

  it("gets messages and empty updates back from the cache as a node returned them", async () => {
    const seen: BaseMessage[] = [];
    let empties = 0;
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("answer", () => ({ messages: [new AIMessage({ id: "a", content: "yes" })] }), {
        cachePolicy: {},
      })
      .addNode(
        "nothing",
        () => {
          empties++;
          return {};
        },
        { cachePolicy: {} },
      )
      .addNode("look", ({ messages }) => {
        seen.push(...messages);
        return {};
      })
      .addEdge("__start__", "answer")
      .addEdge("answer", "nothing")
      .addEdge("nothing", "look")
      .compile({ cache: suite.cache });
    const input = { messages: [new HumanMessage({ id: "h", content: "?" })] };
    await graph.invoke(input);
    await graph.invoke(input);
    expect(seen).toHaveLength(4);
    expect(seen[3]).toEqual(seen[1]);
    expect(AIMessage.isInstance(seen[3])).toBe(true);
    expect(empties).toBe(1);
    expect(suite.cache.counts.unreadable).toBe(0);
  });

  it("caches neither errors nor interrupts", async () => {
    let runs = 0;
    const failing = new StateGraph(State)
      .addNode(
        "node",
        () => {
          runs++;
          throw new Error("no");
        },
        { cachePolicy: {} },
      )
      .addEdge("__start__", "node")
      .compile({ cache: suite.cache });
    await expect(failing.invoke({ n: 1 })).rejects.toThrow("no");
    await expect(failing.invoke({ n: 1 })).rejects.toThrow("no");
    expect(runs).toBe(2);
    expect(await suite.database.query("select key from cache_entries")).toEqual([]);
  });
});

describeServer("a graph whose cache does not answer", (target) => {
  const suite = useCache(target);

  it("runs as if it had none", async () => {
    const source = `postgres://nobody@127.0.0.1:${await freePort()}/none`;
    const cache = suite.closing(new PostgresCache(source, { deadlineMs: 20 }));
    const { graph, runs } = countingGraph(cache);
    for (let n = 0; n < 5; n++) expect((await graph.invoke({ n: 1 })).log).toEqual(["ran 1"]);
    expect(runs.count).toBe(5);
    expect(cache.counts).toMatchObject({ hit: 0, skipped: 10 });
  });
});
