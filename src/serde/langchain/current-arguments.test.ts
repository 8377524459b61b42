import { describe, expect, test } from "@jest/globals";
import {
  AIMessage,
  AIMessageChunk,
  convertToChunk,
  HumanMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { StringPromptValue } from "@langchain/core/prompt_values";
import { load } from "@langchain/core/load";
import { JsonSerializer } from "../json/json-serializer.js";
import { MsgpackSerializer } from "../msgpack/msgpack-serializer.js";
import { reviveMessage } from "./messages.js";

const SECRET = "123-45-6789";
const REDACTED = "[redacted]";

/** The fields of an object as JSON, without what its class keeps for itself. */
function fieldsOf(value: object): unknown {
  return JSON.parse(JSON.stringify({ ...value, lc_kwargs: undefined }));
}

/** The declared types refuse the fields of a message that was spread, and fields without a value. */
function build<Message>(Class: new (fields: never) => Message, fields: object): Message {
  return Reflect.construct(Class, [fields]) as Message;
}

function spread(message: object): object {
  return { ...message };
}

/** Messages in which a node has replaced or removed a secret. */
const changed: [string, () => object][] = [
  ["content", () => Object.assign(new AIMessage({ id: "a", content: SECRET }), { content: REDACTED })],
  [
    "a field that is undefined now",
    () =>
      Object.assign(new ToolMessage({ tool_call_id: "c", content: "ok", artifact: { ssn: SECRET } }), {
        artifact: undefined,
      }),
  ],
  [
    "a field that was deleted",
    () => {
      const message = new ToolMessage({ tool_call_id: "c", content: "ok", artifact: { ssn: SECRET } });
      Reflect.deleteProperty(message, "artifact");
      return message;
    },
  ],
  [
    "tool calls",
    () =>
      Object.assign(
        new AIMessage({ content: "", tool_calls: [{ name: "f", args: { ssn: SECRET }, id: "1" }] }),
        { tool_calls: [] },
      ),
  ],
  [
    "content of a message that was spread",
    () => build(AIMessage, { ...spread(new AIMessage(SECRET)), content: REDACTED }),
  ],
  ["content of a chunk", () => Object.assign(new AIMessageChunk({ content: SECRET }), { content: REDACTED })],
  [
    "content blocks",
    () =>
      Object.assign(new AIMessage({ contentBlocks: [{ type: "text", text: SECRET }] }), {
        content: REDACTED,
      }),
  ],
  ["a prompt value", () => Object.assign(new StringPromptValue(SECRET), { value: REDACTED })],
  [
    "content with a field of its own",
    () => Object.assign(new HumanMessage(SECRET), { content: REDACTED, extra: 1 }),
  ],
];

describe.each([
  ["MessagePack", new MsgpackSerializer()],
  ["JSON", new JsonSerializer()],
])("what a node has replaced in a message is not stored in %s", (_format, serializer) => {
  const written = async (value: unknown): Promise<string> =>
    Buffer.from((await serializer.dumpsTyped(value))[1]).toString("latin1");
  const roundTrip = async (value: unknown): Promise<unknown> =>
    serializer.loadsTyped(...(await serializer.dumpsTyped(value)));

  test.each(changed)("%s", async (_name, make) => {
    expect(await written({ messages: [make()] })).not.toContain(SECRET);
  });

  test.each(changed)("%s: it is read as what it is", async (_name, make) => {
    const read = (await roundTrip(make())) as object;
    expect({ ...read, lc_kwargs: {} }).toEqual({ ...make(), lc_kwargs: {} });
    expect(JSON.stringify(read)).not.toContain(SECRET);
    expect(Object.getPrototypeOf(await load(JSON.stringify(read)))).toBe(Object.getPrototypeOf(read));
  });

  test.each<[string, (message: AIMessage) => object]>([
    ["the constructor's fields", (message) => build(AIMessage, { ...spread(message), content: "new" })],
    ["a chunk", (message) => convertToChunk(message)],
    ["a plain object", spread],
    ["an object with a brand of another library", (message) => ({ message, [Symbol.for("brand")]: true })],
  ])("a message that was spread into %s is stored", async (_name, change) => {
    const message = new AIMessage({ id: "a", content: "a", response_metadata: { at: [1] } });
    const value = change(message);
    const [read] = (await roundTrip([value])) as [object];
    expect(fieldsOf(read)).toEqual(fieldsOf(value));
  });

  test("a symbol with any other value is refused", async () => {
    await expect(serializer.dumpsTyped({ [Symbol.for("brand")]: "x" })).rejects.toThrow("Symbol(brand)");
  });

  test("a field without a value is left out of a message, at any depth", async () => {
    const usage = {
      input_tokens: 1,
      output_tokens: 2,
      total_tokens: 3,
      input_token_details: { audio: undefined },
    };
    const value = [
      Object.assign(new AIMessage("hi"), { usage_metadata: usage }),
      build(ToolMessage, {
        tool_call_id: "c",
        content: "ok",
        status: undefined,
        artifact: [{ a: undefined, b: 1 }],
      }),
    ];
    const read = (await roundTrip(value)) as [AIMessage, ToolMessage];
    expect(read[0].usage_metadata).toStrictEqual({ ...usage, input_token_details: {} });
    expect(Object.keys(read[1].lc_kwargs as object)).not.toContain("status");
    expect(read[1].artifact).toStrictEqual([{ b: 1 }]);
  });
});

test("a message that version 0.1.0 stored is read without the arguments that a field had replaced", () => {
  const fields = {
    content: REDACTED,
    id: "a",
    additional_kwargs: {},
    response_metadata: {},
    tool_calls: [],
    invalid_tool_calls: [],
  };
  const js = {
    own: Object.keys(fields),
    given: ["content", "id", "example"],
    same: {},
    kwargs: { content: SECRET, example: 1 },
  };
  const message = reviveMessage("AIMessage", { ...fields, lc_js: js }) as AIMessage;
  expect(message.lc_kwargs).toEqual({ content: REDACTED, id: "a", example: 1 });
});
