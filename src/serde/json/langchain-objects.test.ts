import { afterEach, describe, expect, it, jest } from "@jest/globals";
import { Document } from "@langchain/core/documents";
import { load } from "@langchain/core/load";
import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  ChatMessage,
  ChatMessageChunk,
  FunctionMessage,
  FunctionMessageChunk,
  HumanMessage,
  HumanMessageChunk,
  RemoveMessage,
  SystemMessage,
  SystemMessageChunk,
  ToolMessage,
  ToolMessageChunk,
} from "@langchain/core/messages";
import { PromptTemplate } from "@langchain/core/prompts";

import { SerializationError } from "../../errors/index.js";
import { encodeJson } from "./encode-json.js";
import { firstDifference } from "../test-support/first-difference.js";
import { parseJsonText, stringifyJson } from "./json-text.js";

const common = {
  content: [{ type: "text" as const, text: "hi" }],
  id: "m-1",
  name: "ann",
  additional_kwargs: {
    seen: new Set([1]),
    at: new Date(0),
    marked: { lc: 1 },
    nested: { lc: 2, type: "undefined" },
  },
  response_metadata: { model_name: "x", ratio: NaN },
};
const tools = {
  tool_calls: [{ name: "search", args: { q: "x", "": undefined }, id: "1", type: "tool_call" as const }],
  invalid_tool_calls: [
    { name: "search", args: "{", id: "2", error: "bad", type: "invalid_tool_call" as const },
  ],
  usage_metadata: {
    input_tokens: 1,
    output_tokens: 2,
    total_tokens: 3,
    input_token_details: { cache_read: 1 },
  },
};
const chunks = [{ name: "search", args: '{"q":', id: "1", index: 0, type: "tool_call_chunk" as const }];
const tool = { tool_call_id: "1", status: "error" as const, artifact: new Map([["k", [1n]]]) };

/** Core's types have usage metadata only for messages of a declared structure. */
function make<T extends object>(Class: new (fields: never) => T, fields: object): T {
  return Reflect.construct(Class, [fields]) as T;
}

const objects: [string, object][] = [
  ["AIMessage", make(AIMessage, { ...common, ...tools })],
  ["AIMessageChunk", make(AIMessageChunk, { ...common, ...tools, tool_call_chunks: chunks })],
  ["AIMessageChunk without chunks", make(AIMessageChunk, { ...common, ...tools })],
  ["ChatMessage", new ChatMessage({ ...common, role: "critic" })],
  ["ChatMessageChunk", new ChatMessageChunk({ ...common, role: "critic" })],
  ["Document", new Document({ pageContent: "text", metadata: { loc: { lc: 5 } }, id: "d-1" })],
  ["Document without id", new Document({ pageContent: "" })],
  ["FunctionMessage", new FunctionMessage({ ...common, name: "search" })],
  ["FunctionMessageChunk", new FunctionMessageChunk({ ...common, name: "search" })],
  ["HumanMessage", new HumanMessage(common)],
  ["HumanMessage from text", new HumanMessage("hi")],
  ["HumanMessageChunk", new HumanMessageChunk(common)],
  ["RemoveMessage", new RemoveMessage({ id: "m-1" })],
  ["SystemMessage", new SystemMessage(common)],
  ["SystemMessageChunk", new SystemMessageChunk(common)],
  ["ToolMessage", new ToolMessage({ ...common, ...tool, metadata: { took: 5 } })],
  ["ToolMessageChunk", new ToolMessageChunk({ ...common, ...tool })],
  ["message of content blocks", new AIMessage({ contentBlocks: [{ type: "text", text: "hi" }] })],
  ["message with an unknown field", new HumanMessage(Object.assign({ my_field: 1, "my field": 2 }, common))],
];

afterEach(() => {
  jest.restoreAllMocks();
});

describe("a LangChain object is read back equal", () => {
  it.each(objects)("%s", (_, value) => {
    for (const jsonb of [false, true]) {
      expect(firstDifference(parseJsonText(stringifyJson(value, { jsonb })), value)).toBeUndefined();
    }
  });

  it("also after its fields were set, replaced and removed", () => {
    const message = make(AIMessage, { ...common, ...tools });
    message.name = "bob";
    message.content = "other";
    message.additional_kwargs = {};
    Reflect.deleteProperty(message, "usage_metadata");
    Object.assign(message, { extra: [new Date(1)], __proto__of: 1 });
    expect(firstDifference(parseJsonText(stringifyJson(message)), message)).toBeUndefined();
  });

  it("and written in the official layout alone after the message reducer set its id", () => {
    const message = new HumanMessage("hi");
    message._updateId("m-2");
    expect(encodeJson(message)).toEqual(JSON.parse(JSON.stringify(message)));
  });
});

it.each(objects.filter(([, value]) => !(value instanceof Document)))(
  "the JSON of a %s is revived as core's load revives it",
  async (_, value) => {
    const text = JSON.stringify(value);
    expect(firstDifference(parseJsonText(text), await load(text))).toBeUndefined();
  },
);

it("writing a message does not print a warning about raw tool calls, and does not change the message's arrays", () => {
  const warn = jest.spyOn(console, "warn").mockImplementation(() => undefined);
  const raw = { tool_calls: [{ id: "1", type: "function", function: { name: "search", arguments: "{}" } }] };
  const message = make(AIMessage, { content: "", tool_calls: [], additional_kwargs: raw });
  const blocks = new AIMessage({ contentBlocks: [{ type: "text", text: "hi" }] });
  blocks.tool_calls = [{ name: "search", args: {}, id: "9" }];
  warn.mockClear();
  stringifyJson([message, blocks]);
  expect(warn).not.toHaveBeenCalled();
  expect(blocks.content).toHaveLength(1);
});

class MyMessage extends HumanMessage {}

it.each<[string, BaseMessage | object, string]>([
  ["a subclass of a message", new MyMessage("hi"), "MyMessage"],
  ["a prompt, which does more than hold data", PromptTemplate.fromTemplate("{x}"), "PromptTemplate"],
])("%s is refused", (_, value, problem) => {
  const encode = () => encodeJson({ messages: [value] });
  expect(encode).toThrow(SerializationError);
  expect(encode).toThrow(/at messages\[0\]/);
  expect(encode).toThrow(problem);
});

it("a function inside a message is named by its path", () => {
  const message = new HumanMessage({ content: "", additional_kwargs: { onDone: () => undefined } });
  expect(() => encodeJson([message], { path: "messages" })).toThrow(
    "at messages[0].additional_kwargs.onDone: a function can't be stored",
  );
});
