import { createRequire } from "node:module";
import { inspect } from "node:util";
import { describe, expect, test } from "@jest/globals";
import type * as messageClasses from "@langchain/core/messages";
import { Document } from "@langchain/core/documents";
import {
  AIMessage,
  AIMessageChunk,
  BaseMessage,
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
import { ChatPromptValue, ImagePromptValue, StringPromptValue } from "@langchain/core/prompt_values";
import { PromptTemplate } from "@langchain/core/prompts";
import { StringOutputParser } from "@langchain/core/output_parsers";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import fc from "fast-check";
import { runs } from "../../../test-support/runs.js";
import { SerializationError } from "../../errors/index.js";
import { LANGCHAIN_CLASSES } from "../langchain/classes.js";
import { MsgpackSerializer } from "./msgpack-serializer.js";
import { JsonSerializer } from "../json/json-serializer.js";
import { encode } from "./msgpack-encoder.js";
import { EXT } from "./ext-codes.js";
import { extension, pack } from "./wire.js";
import { firstDifference } from "../test-support/first-difference.js";
import { objectsOf, text, value } from "../test-support/values.js";

const serializer = new MsgpackSerializer();
const required = createRequire(import.meta.url)("@langchain/core/messages") as typeof messageClasses;

async function roundTrip(written: unknown): Promise<unknown> {
  return serializer.loadsTyped(...(await serializer.dumpsTyped(written)));
}

async function expectExact(written: unknown): Promise<void> {
  const read = await roundTrip(written);
  expect(firstDifference(read, written)).toBeUndefined();
  // LangChain escapes an object whose key `lc` has no value, and loses the dates in it. The key is left out of a message.
  const shown = inspect(written, { customInspect: false, depth: null });
  if (!shown.includes("lc: undefined")) expect(toJson(read)).toBe(toJson(written));
}

/** The declared type of an AI message has usage metadata only together with declared tools. */
function build(Class: typeof AIMessage | typeof AIMessageChunk, fields: object): unknown {
  return Reflect.construct(Class, [fields]);
}

function toJson(message: unknown): string {
  return JSON.stringify(message, (_key, part: unknown) => (typeof part === "bigint" ? `${part}n` : part));
}

const json = fc.jsonValue().map((data) => data as unknown);
const record = objectsOf(value).map((object) => ({ ...object }));
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

const common = fc.record({ content, ...base }, { requiredKeys: ["content"], noNullPrototype: true });
const ai = fc.record(
  {
    content,
    ...base,
    tool_calls: fc.array(toolCall),
    invalid_tool_calls: fc.array(invalidToolCall),
    usage_metadata: usage,
  },
  { requiredKeys: ["content"], noNullPrototype: true },
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
  { requiredKeys: ["content", "tool_call_id"], noNullPrototype: true },
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
  ChatPromptValue: fc
    .array(common.map((fields) => new HumanMessage(fields)))
    .map((list) => new ChatPromptValue(list)),
  ImagePromptValue: fc.webUrl().map((url) => new ImagePromptValue({ url, detail: "low" })),
  StringPromptValue: text.map((content) => new StringPromptValue(content)),
};

describe("a LangChain message that is read back equals the message that was written", () => {
  test("(the tests cover every class that may be stored)", () => {
    expect(Object.keys(messages).sort()).toEqual(Object.keys(LANGCHAIN_CLASSES).sort());
  });

  test.each(Object.entries(messages))("%s, with any fields", async (_name, arbitrary) => {
    await fc.assert(fc.asyncProperty<[unknown]>(arbitrary, expectExact), runs(60));
  });

  test("also one that was changed after it was built", async () => {
    const message = new AIMessage({ content: "draft", tool_calls: [{ name: "f", args: {}, id: "1" }] });
    message.content = "final";
    message.id = "later";
    message.tool_calls = [];
    await expectExact(message);
  });

  test("also one whose tool calls were changed in place", async () => {
    const message = new AIMessageChunk({
      content: "",
      tool_call_chunks: [{ name: "f", args: "{}", id: "1", index: 0, type: "tool_call_chunk" }],
    });
    Object.assign(message.tool_calls?.[0]?.args ?? {}, { added: true });
    await expectExact(message);
  });

  test("also one of standard content blocks, whose content is written once", async () => {
    const text = "x".repeat(1000);
    const message = new AIMessage({ contentBlocks: [{ type: "text", text }] });
    await expectExact(message);
    expect(encode(message).length).toBeLessThan(1500);
  });

  test("also one built from arguments that are not fields", async () => {
    await expectExact(new HumanMessage({ content: "x", example: true, lc_js: 1 } as { content: string }));
  });

  test("but an instance of a subclass is refused by name", () => {
    class Note extends HumanMessage {}
    expect(() => encode({ notes: [new Note("x")] })).toThrow(
      new SerializationError(
        "notes[0]",
        "an instance of Note can't be stored: store a message of a class of @langchain/core",
      ),
    );
  });
});

describe("another LangChain object of the core package", () => {
  test.each<[string, object]>([
    ["PromptTemplate", PromptTemplate.fromTemplate("a {b}")],
    ["StringOutputParser", new StringOutputParser()],
    ["FakeListChatModel", new FakeListChatModel({ responses: [] })],
  ])("is refused, since its class does more than hold data: %s", (name, value) => {
    expect(() => encode({ parts: [value] })).toThrow(
      new SerializationError(
        "parts[0]",
        `an instance of ${name} can't be stored: store what its toJSON() returns`,
      ),
    );
  });

  test("is read as the data of its record if an earlier version wrote it", async () => {
    const text = JSON.stringify(PromptTemplate.fromTemplate("a {b}"));
    expect(await serializer.loadsTyped("msgpack", pack(extension(EXT.LANGCHAIN, Buffer.from(text))))).toEqual(
      JSON.parse(text),
    );
  });
});

test("a prompt value that an earlier version wrote is read back equal", async () => {
  const value = new ChatPromptValue([new HumanMessage({ content: "hi", id: "1" })]);
  const bytes = pack(extension(EXT.LANGCHAIN, Buffer.from(JSON.stringify(value))));
  expect(firstDifference(await serializer.loadsTyped("msgpack", bytes), value)).toBeUndefined();
});

describe("an object of another copy of @langchain/core is read as one of this copy", () => {
  test.each<[string, object]>([
    ["message", new required.HumanMessage({ content: "hi", id: "1" })],
    ["chunk", new required.AIMessageChunk({ content: "hi", tool_call_chunks: [{ name: "f", index: 0, args: "{}" }] })], // oxfmt-ignore
    [
      "message that was changed",
      Object.assign(new required.AIMessage("hi"), { id: "1", added: new Map([[1, 2]]) }),
    ],
  ])("%s", async (_name, value) => {
    for (const serde of [serializer, new JsonSerializer()]) {
      const read = await serde.loadsTyped(...(await serde.dumpsTyped(value)));
      expect(read).toBeInstanceOf(BaseMessage);
      expect(Object.values(LANGCHAIN_CLASSES).map(({ prototype }) => prototype as unknown)).toContain(Object.getPrototypeOf(read)); // oxfmt-ignore
      expect({ ...(read as object) }).toEqual({ ...value });
    }
  });
});
