import { describe, expect, it } from "@jest/globals";
import { type NamespaceHead, parentsOfCall, SubgraphCalls } from "./subgraph-calls.js";

/** An id of a checkpoint: that of a later hour is greater. */
const idAt = (hour: number) => `1f00000${hour}-0000-6000-8000-000000000000`;

function head(
  checkpointNs: string,
  newest: number | null,
  given: Partial<NamespaceHead> = {},
): NamespaceHead {
  return {
    key: { threadId: "t", checkpointNs },
    newestId: newest === null ? null : idAt(newest),
    ...{ oldestKeptId: null, parents: {}, isSelected: true },
    ...given,
  };
}

const CALL = "node:task";
const calledAt = (hour: number) => ({ parents: { "": idAt(hour) } });

describe("a call of a subgraph is over", () => {
  const root = (newest: number, oldestKept: number, given: Partial<NamespaceHead> = {}) =>
    head("", newest, { oldestKeptId: idAt(oldestKept), ...given });

  it.each<
    [
      what: string,
      isOver: boolean,
      heads: NamespaceHead[],
      given?: { cutoff?: number; orphanCutoff?: number; isStored?: boolean },
    ]
  >([
    ["where its parent is deleted", true, [root(5, 4), head(CALL, 3, calledAt(2))]],
    ["not where its parent is the oldest that is kept", false, [root(5, 2), head(CALL, 3, calledAt(2))]],
    ["not where its graph keeps all", false, [head("", 5), head(CALL, 3, calledAt(2))]],
    [
      "not where its graph is not selected",
      false,
      [root(5, 4, { isSelected: false }), head(CALL, 3, calledAt(2))],
    ],
    ["where its parent is missing", true, [head("", 5), head(CALL, 3, calledAt(2))], { isStored: false }],
    ["not where it is newer than its graph", false, [root(5, 4), head(CALL, 6, calledAt(2))]],
    ["not where it is as new as its graph", false, [root(5, 4), head(CALL, 5, calledAt(2))]],
    ["not where it has no checkpoint", false, [root(5, 4), head(CALL, null, calledAt(2))]],
    [
      "not where it is not selected itself",
      false,
      [root(5, 4), head(CALL, 3, { ...calledAt(2), isSelected: false })],
    ],
    ["where it and its parent are old enough", true, [root(5, 4), head(CALL, 3, calledAt(2))], { cutoff: 4 }],
    ["not where it is exactly as old", false, [root(5, 4), head(CALL, 3, calledAt(2))], { cutoff: 3 }],
    [
      "not where its parent is not old enough",
      false,
      [root(5, 4), head(CALL, 1, calledAt(2))],
      { cutoff: 2 },
    ],
    ["where its graph is gone and it is old", true, [head(CALL, 3, calledAt(2))], { orphanCutoff: 4 }],
    ["not where its graph is gone and it is new", false, [head(CALL, 3, calledAt(2))], { orphanCutoff: 3 }],
    ["not where it names no parent", false, [head(CALL, 3)], { orphanCutoff: 9 }],
    [
      "where the call around it is over, with the graph around that one",
      true,
      [
        root(5, 4),
        head(CALL, 3, calledAt(2)),
        head(`${CALL}|inner:task`, 3, { parents: { "": idAt(2), [CALL]: idAt(3) } }),
      ],
    ],
    [
      "not where the call around it goes on",
      false,
      [
        root(6, 4),
        head(CALL, 5, { ...calledAt(4), oldestKeptId: idAt(5) }),
        head(`${CALL}|inner:task`, 4, { parents: { "": idAt(2), [CALL]: idAt(5) } }),
      ],
    ],
    [
      "not by the graph of another thread",
      false,
      [root(5, 4, { key: { threadId: "s", checkpointNs: "" } }), head(CALL, 3, calledAt(2))],
    ],
  ])("%s", (_, isOver, heads, { cutoff, orphanCutoff = 0, isStored = true } = {}) => {
    const calls = new SubgraphCalls({
      cutoff: cutoff === undefined ? undefined : idAt(cutoff),
      orphanCutoff: idAt(orphanCutoff),
    });
    expect(heads.map((each) => calls.isOver(each, () => isStored)).at(-1)).toBe(isOver);
  });
});

it.each<[what: string, checkpointNs: string, parents: unknown, namespaces: string[]]>([
  ["has its graphs, the nearest first", "a:1|b:2", { "": "0", "a:1": "1" }, ["a:1", ""]],
  ["has no namespace beside it", "a:1|b:2", { "": "0", "a:": "1", "b:2": "2", "a:1|b": "3" }, [""]],
  ["has no parent without an id", "a:1", { "": 7 }, []],
  ["has none where the metadata has none", "a:1", null, []],
  ["has none where the metadata has a text", "a:1", "0", []],
  ["has none where the subgraph outlives its calls", "a", { "": "0" }, []],
])("a call %s", (_, checkpointNs, parents, namespaces) => {
  expect(parentsOfCall(head(checkpointNs, 1, { parents })).map((each) => each.checkpointNs)).toEqual(
    namespaces,
  );
});
