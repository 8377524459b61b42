import { describe, expect, it } from "@jest/globals";
import { Document } from "@langchain/core/documents";
import { AIMessage, HumanMessage, RemoveMessage } from "@langchain/core/messages";
import { ChatPromptValue } from "@langchain/core/prompt_values";
import { Send } from "@langchain/langgraph";

import { DeserializationError } from "../../errors/index.js";
import { decodeJson } from "./decode-json.js";
import { firstDifference } from "../test-support/first-difference.js";
import type { JsonValue } from "./json-value.js";

function record(id: string[], args: JsonValue[], more: Record<string, JsonValue> = {}): JsonValue {
  return { lc: 2, type: "constructor", id, method: null, args, kwargs: {}, ...more };
}

describe("a record that is not on the closed list is read as data", () => {
  it.each<[string, JsonValue]>([
    ["unknown class", record(["Function"], ["return process"])],
    ["class with a method", record(["Map"], [[]], { method: "groupBy" })],
    ["inherited name", record(["constructor"], ["x"])],
    ["__proto__ as a class", record(["__proto__"], [])],
    ["view named by an inherited name", record(["toString"], ["AAAA"])],
    ["unknown Python class", record(["subprocess", "Popen"], ["ls"])],
    ["bytes out of range", record(["Uint8Array"], [[256]], { method: "from" })],
    ["Map without pairs", record(["Map"], [[1]])],
    ["Set with two arguments", record(["Set"], [[], []])],
    ["broken RegExp", record(["RegExp"], ["(", ""])],
    ["broken Date", record(["Date"], ["yesterday"])],
    ["broken URL", record(["URL"], ["::"])],
    ["broken BigInt", record(["BigInt"], ["0x10"])],
    ["broken Number", record(["Number"], ["1_000"])],
    ["broken String", record(["String"], [[70000]])],
    ["broken base64", record(["Float64Array"], ["?"])],
    ["half a double", record(["Float64Array"], ["AAAA"])],
    ["array that is too long", record(["Array"], [2 ** 32, []])],
    ["array with an element outside", record(["Array"], [1, [[1, 0]]])],
    ["object whose keys are not strings", record(["Object"], [[[1, 2]]])],
    ["error of an unknown class", record(["Error"], ["x"], { kwargs: { class: "Function" } })],
    ["error without a message", record(["Error"], [])],
    ["snapshot without a value", { lc: 2, type: "delta_snapshot" }],
    ["unknown type", { lc: 2, type: "factory" }],
    ["unknown version", { lc: 3, type: "constructor", id: ["Map"], args: [[]] }],
    ["secret", { lc: 1, type: "secret", id: ["PATH"] }],
    [
      "unwritable object",
      { lc: 1, type: "not_implemented", id: ["langchain_core", "messages", "HumanMessage"] },
    ],
    [
      "class outside LangChain",
      { lc: 1, type: "constructor", id: ["acme", "messages", "HumanMessage"], kwargs: {} },
    ],
    [
      "model",
      { lc: 1, type: "constructor", id: ["langchain", "chat_models", "openai", "ChatOpenAI"], kwargs: {} },
    ],
    [
      "tracer of core",
      { lc: 1, type: "constructor", id: ["langchain_core", "tracers", "console", "X"], kwargs: {} },
    ],
    [
      "function of core",
      { lc: 1, type: "constructor", id: ["langchain_core", "messages", "constructor"], kwargs: {} },
    ],
    [
      "message without kwargs",
      { lc: 1, type: "constructor", id: ["langchain_core", "messages", "HumanMessage"] },
    ],
  ])("%s", (_, json) => {
    expect(firstDifference(decodeJson({ json }), { json })).toBeUndefined();
  });

  it("also one of a class of core that does not exist, or that does more than hold data", async () => {
    const json = ["Missing", "ChatPromptTemplate", "PromptTemplate"].map((name) => ({
      lc: 1,
      type: "constructor",
      id: ["langchain_core", "prompts", name],
      kwargs: { a: 1 },
    }));
    expect(firstDifference(await decodeJson(json), json)).toBeUndefined();
  });

  it("but records inside it are revived", () => {
    const json = { lc: 2, type: "constructor", id: ["Foo"], args: [record(["Set"], [[1]])] };
    expect(decodeJson(json)).toEqual({ ...json, args: [new Set([1])] });
  });
});

describe("a prompt value", () => {
  const promptValue = {
    lc: 1,
    type: "constructor",
    id: ["langchain_core", "prompt_values", "ChatPromptValue"],
    kwargs: { messages: [python("messages", "HumanMessage", { content: "hi" })] },
  };

  it("is revived at any depth", async () => {
    expect(await decodeJson({ inner: record(["Map"], [[["k", promptValue]]]) })).toStrictEqual({
      inner: new Map([["k", new ChatPromptValue([new HumanMessage({ content: "hi" })])]]),
    });
  });

  it("does not receive a secret from the environment", async () => {
    const stolen = { ...promptValue, kwargs: { messages: [{ lc: 1, type: "secret", id: ["PATH"] }] } };
    expect(JSON.stringify(await decodeJson(stolen))).not.toContain(process.env.PATH);
  });
});

it("a key __proto__ becomes an own key and replaces no prototype", () => {
  const json = JSON.parse('{"a":{"__proto__":{"polluted":true}},"b":[]}') as JsonValue;
  expect(firstDifference(decodeJson(json), json)).toBeUndefined();
  expect(Reflect.get({}, "polluted")).toBeUndefined();
  const message = JSON.parse(
    '{"lc":1,"type":"constructor","id":["langchain_core","messages","HumanMessage"],"kwargs":{"content":"","__proto__":{"x":1}}}',
  ) as JsonValue;
  const revived = decodeJson(message);
  expect(revived).toBeInstanceOf(HumanMessage);
  expect(Reflect.get(Object(revived) as object, "x")).toBeUndefined();
});

it("decoding a message with fields that its class refuses throws", () => {
  const json = {
    lc: 1,
    type: "constructor",
    id: ["langchain_core", "messages", "AIMessage"],
    kwargs: { content: [null], response_metadata: { output_version: "v1" } },
  };
  expect(() => decodeJson(json)).toThrow(DeserializationError);
  expect(() => decodeJson(json)).toThrow("AIMessage");
});

describe("a record of an old Python saver is revived", () => {
  it.each<[string, JsonValue, unknown]>([
    ["set", record(["builtins", "set"], [[1, 2]]), new Set([1, 2])],
    ["empty set", record(["builtins", "set"], []), new Set()],
    ["frozenset", record(["builtins", "frozenset"], [["a"]]), new Set(["a"])],
    ["tuple", record(["builtins", "tuple"], [[1, [2]]]), [1, [2]]],
    ["deque", record(["collections", "deque"], [[1]]), [1]],
    [
      "uuid",
      record(["uuid", "UUID"], ["0123456789abcdef0123456789abcdef"]),
      "01234567-89ab-cdef-0123-456789abcdef",
    ],
    ["Decimal", record(["decimal", "Decimal"], ["1.10"]), "1.10"],
    [
      "datetime with an offset",
      record(["datetime", "datetime"], ["2024-05-01T12:00:00.123456+02:00"], { method: "fromisoformat" }),
      new Date("2024-05-01T10:00:00.123Z"),
    ],
    [
      "datetime without one, as UTC",
      record(["datetime", "datetime"], ["2024-05-01T12:00:00"], { method: "fromisoformat" }),
      new Date("2024-05-01T12:00:00Z"),
    ],
  ])("%s", (_, json, value) => {
    expect(decodeJson({ json })).toStrictEqual({ json: value });
  });

  it("Send, by name or by position", async () => {
    const arg = record(["builtins", "set"], [[1]]);
    const send = new Send("node", new Set([1]));
    expect(
      await decodeJson([
        record(["langgraph", "types", "Send"], [], { kwargs: { node: "node", arg } }),
        record(["langgraph", "types", "Send"], ["node", arg]),
      ]),
    ).toStrictEqual([send, send]);
  });

  it("messages and documents", () => {
    const [human, ai, remove, document] = decodeJson([
      python("messages", "HumanMessage", { content: "hi", type: "human", id: "1" }),
      python("messages", "AIMessage", {
        content: "",
        type: "ai",
        tool_calls: [{ name: "search", args: {}, id: "1", type: "tool_call" }],
        usage_metadata: { input_tokens: 1, output_tokens: 2, total_tokens: 3 },
      }),
      python("messages", "RemoveMessage", { id: "1", content: "", type: "remove" }),
      python("document", "Document", { page_content: "text", metadata: { a: 1 }, type: "Document" }),
    ]) as unknown[];
    expect(human).toBeInstanceOf(HumanMessage);
    expect(human).toHaveProperty("id", "1");
    expect(ai).toBeInstanceOf(AIMessage);
    expect(ai).toHaveProperty("tool_calls", [{ name: "search", args: {}, id: "1", type: "tool_call" }]);
    expect(ai).toHaveProperty("usage_metadata.total_tokens", 3);
    expect(remove).toBeInstanceOf(RemoveMessage);
    expect(document).toStrictEqual(new Document({ pageContent: "text", metadata: { a: 1 } }));
  });
});

function python(module: string, name: string, kwargs: Record<string, JsonValue>): JsonValue {
  return { lc: 1, type: "constructor", id: ["langchain", "schema", module, name], kwargs };
}
