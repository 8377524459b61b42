import { describe, expect, it } from "@jest/globals";
import { Command, Overwrite, Send } from "@langchain/langgraph";
import { DeltaSnapshot } from "@langchain/langgraph-checkpoint";

import { encodeJson } from "./encode-json.js";
import { firstDifference } from "../test-support/first-difference.js";
import { parseJsonText, stringifyJson } from "./json-text.js";
import { langGraphReviverOf } from "./json-langgraph.js";
import { TreeDecoder } from "./decode-json.js";

const send = new Send("node", { at: new Date(0), list: [undefined] }, { timeout: { idleTimeout: 5 } });

describe("a LangGraph object is read back as an instance of its class", () => {
  it.each<[string, object]>([
    ["Send", send],
    ["Send without timeout", new Send("node", null)],
    ["Send of nothing", new Send("node", undefined)],
    ["Overwrite", new Overwrite(new Set([send]))],
    ["Command", new Command({ update: { a: 1n }, resume: "yes", goto: [send, "b"], graph: Command.PARENT })],
    ["Command with one target", new Command({ goto: "b" })],
    ["Command of updates in order", new Command({ update: [["a", 1]] })],
    ["DeltaSnapshot", new DeltaSnapshot([send])],
  ])("%s", async (_, value) => {
    for (const jsonb of [false, true]) {
      const text = stringifyJson({ value, again: value }, { jsonb });
      expect(firstDifference(await parseJsonText(text), { value, again: value })).toBeUndefined();
    }
  });
});

it("a plain object of the same shape stays a plain object", () => {
  const plain = [
    { node: "node", args: {} },
    { lg_name: "Send", node: "node", args: {} },
    { lg_name: "Command", goto: [] },
    { lg_name: "DeltaSnapshot", value: 1 },
    { __overwrite__: 1 },
  ];
  expect(firstDifference(parseJsonText(stringifyJson(plain)), plain)).toBeUndefined();
});

it.each<[string, object, object]>([
  ["Send", new Send("node", { x: 1 }), { lg_name: "Send", node: "node", args: { x: 1 } }],
  ["Overwrite", new Overwrite(1), { lg_name: "Overwrite", __overwrite__: 1 }],
  ["Command", new Command({ goto: "b" }), { lg_name: "Command", goto: ["b"] }],
])(
  "without @langchain/langgraph a %s is read as a literal object, which is written as the same object again",
  async (_, value, shape) => {
    const json = JSON.parse(JSON.stringify(encodeJson(value))) as Record<string, string>;
    const decoder = new TreeDecoder({ langGraph: null });
    const revived = langGraphReviverOf(json)?.(json, { level: 0, inKwargs: false }, decoder)?.value;
    expect(revived).toEqual(shape);
    expect(Object.getPrototypeOf(await parseJsonText(stringifyJson(revived)))).toBe(
      Object.getPrototypeOf(value),
    );
  },
);
