import { AIMessageChunk, HumanMessage } from "@langchain/core/messages";
import { describe, expect, it } from "@jest/globals";
import { describeChunk } from "./describe-run.js";

const ANSWER = new AIMessageChunk({ id: "m1", content: "Hello" });
const PARTS = [
  { type: "text", text: "Hel" },
  { type: "image_url", text: "hidden" },
  { type: "text", text: 5 },
  "lo",
  { type: "text", text: "lo" },
];

describe("what a run reports", () => {
  it.each<[what: string, chunk: unknown, events: unknown[]]>([
    [
      "each node that has run",
      [[], "updates", { ask: {}, pay: null }],
      [
        { kind: "node", node: "ask", isInner: false },
        { kind: "node", node: "pay", isInner: false },
      ],
    ],
    [
      "a node of a subgraph",
      [["team:1"], "updates", { search: {} }],
      [{ kind: "node", node: "search", isInner: true }],
    ],
    ["nothing that the engine does", [[], "updates", { __interrupt__: [] }], []],
    [
      "what an agent says, and where",
      [[], "messages", [ANSWER, { langgraph_node: "agent" }]],
      [{ kind: "text", node: "agent", messageId: "m1", text: "Hello" }],
    ],
    [
      "the parts of it that are texts",
      [[], "messages", [new AIMessageChunk({ content: PARTS as [] }), { langgraph_node: 7 }]],
      [{ kind: "text", node: "", messageId: "", text: "Hello" }],
    ],
    [
      "what it says without metadata",
      [[], "messages", [ANSWER, undefined]],
      [{ kind: "text", node: "", messageId: "m1", text: "Hello" }],
    ],
    ["nothing without a text", [[], "messages", [new AIMessageChunk({ content: "" }), {}]], []],
    ["nothing for other contents", [[], "messages", [{ type: "ai", content: 5 }, {}]], []],
    ["nothing that a person says", [[], "messages", [new HumanMessage("Hi"), {}]], []],
    ["nothing for what is no message", [[], "messages", [5, {}]], []],
    ["nothing for other payloads", [[], "messages", { 0: ANSWER }], []],
    ["nothing for an update that is none", [[], "updates", null], []],
    ["nothing for what is no chunk", { kind: "updates" }, []],
  ])("is %s", (_, chunk, events) => {
    expect(describeChunk(chunk)).toEqual(events);
  });
});
