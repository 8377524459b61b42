import { expect, test } from "@jest/globals";
import { AIMessage, BaseMessage, ChatMessage, HumanMessage } from "@langchain/core/messages";
import { messagesStateReducer } from "@langchain/langgraph";
import { isObject } from "../objects/inspect-object.js";
import { decode } from "../msgpack/msgpack-decoder.js";
import { encode } from "../msgpack/msgpack-encoder.js";
import { extension, float64, pack } from "../msgpack/wire.js";
import { pythonOriginOf } from "./python-origin.js";

const FIELDS = {
  content: "yes",
  additional_kwargs: {},
  response_metadata: {},
  type: "ai",
  name: null,
  id: "a",
  tool_calls: [],
  invalid_tool_calls: [],
  usage_metadata: null,
};

/** An instance of a class of an application that has the fields of its own `confidence`, `note` and `text`. */
function answer(fields: object = {}, code = 5): Uint8Array {
  const own = { confidence: float64(2), note: null, text: "own", ...fields };
  return pack(extension(code, pack(["app.state", "Answer", { ...FIELDS, ...own }, "model_validate_json"])));
}

function read(bytes: Uint8Array): AIMessage {
  const value = decode(bytes);
  if (!(value instanceof AIMessage)) throw new TypeError("not an AIMessage");
  return value;
}

/** What Python makes the object of: the payload, as another reader sees it. */
function written(value: unknown): unknown {
  const bytes = encode(value);
  // The code of the extension is before its payload, which is shorter than 64 KiB.
  const payload = bytes.subarray(bytes[0] === 0xc7 ? 3 : 4);
  return decode(payload);
}

const OWN = { confidence: 2, note: null, text: "own" };
const WRITTEN = { content: "yes", additional_kwargs: {}, response_metadata: {}, id: "a", tool_calls: [] };

test.each([4, 5])(
  "a message of a class of an application is a message that keeps its class: code %d",
  (code) => {
    const message = read(answer({}, code));
    expect(message).toMatchObject({ content: "yes", id: "a", ...OWN });
    expect(pythonOriginOf(message)).toMatchObject({ code, module: "app.state", name: "Answer" });
    const fields = { ...WRITTEN, invalid_tool_calls: [], ...OWN, type: "ai" };
    for (const each of [
      message,
      read(encode(message)),
      messagesStateReducer([message], [new HumanMessage("x")])[0],
    ]) {
      expect(encode(each)[0]).toBe(0xc7);
      expect(written(each)).toEqual(["app.state", "Answer", fields, "model_validate_json", "AIMessage"]);
      // A whole float is one again.
      expect(Buffer.from(encode(each)).includes(Buffer.from(pack(float64(2))))).toBe(true);
    }
  },
);

test("what a node changes in it, or removes, is written, and so is the class", () => {
  const message = read(answer());
  Object.assign(message, { content: "no", confidence: 0.5, note: "changed", more: 1 });
  Reflect.deleteProperty(message, "text");
  const again = read(encode(message));
  expect(again).toMatchObject({ content: "no", confidence: 0.5, note: "changed", more: 1 });
  expect(Object.hasOwn(again, "text")).toBe(false);
  expect(pythonOriginOf(again)).toMatchObject({ name: "Answer" });
  expect(written(again)).toMatchObject({ 1: "Answer", 2: { content: "no", confidence: 0.5, type: "ai" } });
});

test("a copy of it is a message of LangChain", () => {
  const { content } = read(answer());
  expect(written(new AIMessage({ content }))).toMatchObject({
    0: "langchain_core.messages.ai",
    1: "AIMessage",
  });
});

test("a name that both languages have for a type is that of Python", () => {
  const line = decode(answer({ type: "chat", role: "critic" }));
  expect(line).toBeInstanceOf(ChatMessage);
  expect(written(line)).toMatchObject({ 2: { type: "chat", role: "critic" }, 4: "ChatMessage" });
});

test.each([
  ["of another type", { type: "event" }],
  ["without content", { content: null }],
  ["with a text for its metadata", { response_metadata: "none" }],
  ["with a text for its arguments", { additional_kwargs: "none" }],
  ["with a text for its calls", { tool_calls: "none" }],
])("a model that only resembles a message is data: %s", (_, fields) => {
  const model = decode(answer(fields));
  expect(BaseMessage.isInstance(model)).toBe(false);
  expect(model).toMatchObject(fields);
  expect(isObject(model) && pythonOriginOf(model)).toMatchObject({ name: "Answer" });
});

test.each(["id", "name"])("a model without the field %s is data", (field) => {
  const { [field]: _, ...others }: Record<string, unknown> = FIELDS;
  const bytes = pack(extension(5, pack(["app.state", "Answer", others, "model_validate_json"])));
  expect(BaseMessage.isInstance(decode(bytes))).toBe(false);
});
