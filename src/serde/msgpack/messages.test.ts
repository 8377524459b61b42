import { describe, expect, test } from "@jest/globals";
import { Document } from "@langchain/core/documents";
import {
  AIMessage,
  AIMessageChunk,
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
  type MessageContent,
} from "@langchain/core/messages";
import { PromptTemplate } from "@langchain/core/prompts";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import fc from "fast-check";
import { SerializationError } from "../../errors.js";
import { LANGCHAIN_CLASSES } from "../langchain/classes.js";
import { MsgpackSerializer } from "../msgpack-serializer.js";
import { encode } from "./encoder.js";
import { firstDifference } from "../../../tests/serde/first-difference.js";
import { objectOf, value } from "../../../tests/serde/values.js";

const serializer = new MsgpackSerializer();

async function roundTrip(written: unknown): Promise<unknown> {
  return serializer.loadsTyped(...(await serializer.dumpsTyped(written)));
}

async function expectExact(written: unknown): Promise<void> {
  const read = await roundTrip(written);
  expect(firstDifference(read, written)).toBeUndefined();
  expect(toJson(read)).toBe(toJson(written));
}

/** The declared fields of an AI message know its usage only together with the tools that it may call. */
function build(Class: typeof AIMessage | typeof AIMessageChunk, fields: object): unknown {
  return Reflect.construct(Class, [fields]);
}

function toJson(message: unknown): string {
  return JSON.stringify(message, (_key, part: unknown) => (typeof part === "bigint" ? `${part}n` : part));
}

const json = fc.jsonValue().map((data) => data as unknown);
const record = objectOf(value).map((object) => ({ ...object }));
const content: fc.Arbitrary<MessageContent> = fc.oneof(
  fc.string(),
  fc.array(
    fc.oneof(
      fc.record({ type: fc.constant("text" as const), text: fc.string() }),
      fc.record({ type: fc.constant("image_url" as const), image_url: fc.webUrl() }),
    ),
  ),
);
const optional = { requiredKeys: [] } as const;
const base = {
  name: fc.string(),
  id: fc.string(),
  additional_kwargs: fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), json),
  response_metadata: fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), value),
};
const toolCall = fc.record({
  name: fc.string(),
  args: fc.dictionary(fc.string(), json),
  id: fc.string(),
  type: fc.constant("tool_call" as const),
});
const invalidToolCall = fc.record({
  name: fc.string(),
  args: fc.string(),
  id: fc.string(),
  error: fc.string(),
});
const toolCallChunk = fc.record({
  name: fc.string(),
  args: fc.oneof(fc.constant('{"a":1}'), fc.string()),
  id: fc.string(),
  index: fc.nat(3),
  type: fc.constant("tool_call_chunk" as const),
});
const usage = fc.record({ input_tokens: fc.nat(), output_tokens: fc.nat(), total_tokens: fc.nat() });
const status = fc.constantFrom("success" as const, "error" as const);

const common = fc.record({ content, ...base }, { requiredKeys: ["content"] });
const ai = fc.record(
  {
    content,
    ...base,
    tool_calls: fc.array(toolCall),
    invalid_tool_calls: fc.array(invalidToolCall),
    usage_metadata: usage,
  },
  { requiredKeys: ["content"] },
);
const tool = fc.record(
  {
    content,
    ...base,
    tool_call_id: fc.string(),
    artifact: value,
    status,
    metadata: fc.dictionary(fc.string(), json),
  },
  { requiredKeys: ["content", "tool_call_id"] },
);

const messages = {
  AIMessage: ai.map((fields) => build(AIMessage, fields)),
  AIMessageChunk: fc
    .tuple(ai, fc.array(toolCallChunk))
    .map(([fields, tool_call_chunks]) => build(AIMessageChunk, { ...fields, tool_call_chunks })),
  ChatMessage: fc.tuple(common, fc.string()).map(([fields, role]) => new ChatMessage({ ...fields, role })),
  ChatMessageChunk: fc
    .tuple(common, fc.string())
    .map(([fields, role]) => new ChatMessageChunk({ ...fields, role })),
  Document: fc
    .record(
      { pageContent: fc.string(), metadata: record, id: fc.string() },
      { requiredKeys: ["pageContent", "metadata"] },
    )
    .map((fields) => new Document(fields)),
  FunctionMessage: fc
    .tuple(common, fc.string())
    .map(([fields, name]) => new FunctionMessage({ ...fields, name })),
  FunctionMessageChunk: fc
    .tuple(common, fc.string())
    .map(([fields, name]) => new FunctionMessageChunk({ ...fields, name })),
  HumanMessage: common.map((fields) => new HumanMessage(fields)),
  HumanMessageChunk: common.map((fields) => new HumanMessageChunk(fields)),
  RemoveMessage: fc
    .record({ ...base, id: fc.string() }, { ...optional, requiredKeys: ["id"] })
    .map((fields) => new RemoveMessage(fields)),
  SystemMessage: common.map((fields) => new SystemMessage(fields)),
  SystemMessageChunk: common.map((fields) => new SystemMessageChunk(fields)),
  ToolMessage: tool.map((fields) => new ToolMessage(fields)),
  ToolMessageChunk: tool.map((fields) => new ToolMessageChunk(fields)),
};

describe("a LangChain message read back equals the message written", () => {
  test("every class that may be stored is among those below", () => {
    expect(Object.keys(messages).sort()).toEqual(Object.keys(LANGCHAIN_CLASSES).sort());
  });

  test.each(Object.entries(messages))("%s, whatever fields it has", async (_name, arbitrary) => {
    await fc.assert(fc.asyncProperty<[unknown]>(arbitrary, expectExact), { numRuns: 60 });
  });

  test("one that was changed after it was built", async () => {
    const message = new AIMessage({ content: "draft", tool_calls: [{ name: "f", args: {}, id: "1" }] });
    message.content = "final";
    message.id = "later";
    message.tool_calls = [];
    await expectExact(message);
  });

  test("one whose tool calls were changed in place", async () => {
    const message = new AIMessageChunk({
      content: "",
      tool_call_chunks: [{ name: "f", args: "{}", id: "1", index: 0, type: "tool_call_chunk" }],
    });
    Object.assign(message.tool_calls?.[0]?.args ?? {}, { added: true });
    await expectExact(message);
  });

  test("one of standard content blocks, whose content is written once", async () => {
    const text = "x".repeat(1000);
    const message = new AIMessage({ contentBlocks: [{ type: "text", text }] });
    await expectExact(message);
    expect(encode(message).length).toBeLessThan(1500);
  });

  test("one built from arguments that are no fields", async () => {
    await expectExact(
      new HumanMessage({ content: "x", type: "human", example: true, lc_js: 1 } as { content: string }),
    );
  });

  test("a class that only extends a message is refused by name", () => {
    class Note extends HumanMessage {}
    expect(() => encode({ notes: [new Note("x")] })).toThrow(
      new SerializationError("notes[0]", "an instance of Note can't be stored"),
    );
  });
});

describe("any other LangChain object of the core package", () => {
  test("is made again from its constructor record", async () => {
    const read = await roundTrip({
      prompts: [PromptTemplate.fromTemplate("a {b}"), PromptTemplate.fromTemplate("{c}")],
    });
    expect(JSON.stringify(read)).toBe(
      JSON.stringify({ prompts: [PromptTemplate.fromTemplate("a {b}"), PromptTemplate.fromTemplate("{c}")] }),
    );
  });

  test("is refused if it does not say how to be made again", () => {
    expect(() => encode(new FakeListChatModel({ responses: [] }))).toThrow(SerializationError);
  });
});
