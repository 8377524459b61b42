import { describe, expect, it } from "@jest/globals";
import { innerMisfitsOf, misfitsOf, type WrittenNames } from "./written-names.js";
import type { GraphNames, InspectedGraph } from "./inspected-graph.js";

const GRAPH: GraphNames = { nodes: { ask: {}, pay: {} }, channels: { list: {} } };

describe("what a graph lacks", () => {
  it.each<[what: string, nodes: string[], channels: string[], misfits: string[]]>([
    ["nothing", ["ask", "pay"], ["list"], []],
    [
      "each node, once",
      ["send", "ask"],
      ["branch:to:send", "branch:to:pack"],
      ['no node "send"', 'no node "pack"'],
    ],
    ["each channel", ["ask"], ["list", "iban", "bic"], ['no channel "iban"', 'no channel "bic"']],
    [
      "no channel that a node once had, or that begins an edge of Python's graphs",
      [],
      ["pay", "start:ask"],
      [],
    ],
    [
      "nothing of the engine",
      ["__start__", "__input__"],
      ["__start__", "__pregel_tasks", "branch:to:ask"],
      [],
    ],
    ["what only a prototype has", ["toString"], ["valueOf"], ['no node "toString"', 'no channel "valueOf"']],
  ])("is %s", (_, nodes, channels, misfits) => {
    expect(misfitsOf(GRAPH, { nodes, channels })).toEqual(misfits);
  });

  it("is no channel where the graph does not tell them", () => {
    expect(misfitsOf({ nodes: {} }, { nodes: [], channels: ["iban"] })).toEqual([]);
  });

  const written = new Map<string, WrittenNames>([
    ["team", { nodes: ["ask", "send"], channels: ["list"] }],
    ["team|inner", { nodes: [], channels: ["iban"] }],
    ["called", { nodes: ["hidden"], channels: [] }],
  ]);
  const graphWith = (getSubgraphs?: InspectedGraph["getSubgraphs"]): InspectedGraph => ({
    ...GRAPH,
    ...(getSubgraphs !== undefined && { getSubgraphs }),
    stream: () => Promise.reject(new Error("is not run")),
    updateState: () => Promise.reject(new Error("is not run")),
  });

  it("is told for each graph within it that can be looked at", () => {
    const graph = graphWith(() => [
      ["team", GRAPH],
      ["team|inner", GRAPH],
      ["unused", { nodes: {} }],
    ]);
    expect(innerMisfitsOf(graph, written)).toEqual([
      'no node "send" in "team"',
      'no channel "iban" in "team|inner"',
    ]);
    expect(innerMisfitsOf(graphWith(), written)).toEqual([]);
  });

  it("is not looked for where nothing was written within it", () => {
    const graph = graphWith(() => {
      throw new Error("it was looked for");
    });
    expect(innerMisfitsOf(graph, new Map())).toEqual([]);
  });
});
