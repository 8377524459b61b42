import { describe, expect, it } from "@jest/globals";
import {
  AIMessage,
  type BaseMessageLike,
  coerceMessageLikeToMessage,
  HumanMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { rememberOrigin } from "../../serde/python/python-origin.js";
import { editableJson } from "./editable-json.js";

const ANSWER = { code: 5, module: "app", name: "Answer" };

describe("editableJson", () => {
  it("shows plain data as it is", () => {
    const value = { city: "Vienna", days: [1, 2.5, null, true], deep: { "": {} } };
    expect(JSON.parse(editableJson(value).json ?? "")).toEqual(value);
  });

  it("shows messages so that LangChain reads the same messages back", () => {
    const call = { id: "call_1", name: "look_up", args: { order: "7" }, type: "tool_call" as const };
    const messages = [
      new HumanMessage({ id: "1", content: [{ type: "text", text: "hi" }], name: "ada" }),
      new AIMessage({ id: "2", content: "", tool_calls: [call], additional_kwargs: { seen: true } }),
      new ToolMessage({ id: "3", content: "no", tool_call_id: "call_1", name: "look_up", status: "error" }),
    ];
    const json = JSON.parse(editableJson(messages).json ?? "") as BaseMessageLike[];
    const read = json.map((message) => coerceMessageLikeToMessage(message));
    expect(read.map((message) => message.toDict())).toEqual(messages.map((message) => message.toDict()));
  });

  it.each<[unknown, RegExp]>([
    [{ at: [new Date()] }, /At at\[0\] is an object of class Date/],
    [new Map(), /class Map/],
    [[rememberOrigin(new HumanMessage("hi"), ANSWER)], /At \[0\] is an object of class app\.Answer/],
    [12n, /type bigint/],
    [[NaN], /At \[0\] is NaN/],
    ["x".repeat(300_000), /too long/],
    [Array.from({ length: 100_000 }), /too long/],
    [valueInItself(), /levels/],
    [[new HumanMessage({ content: [{ type: "sent", at: new Date() }] })], /At content\[0\]\.at is an object/],
  ])("says why it does not show a value (%#)", (value, problem) => {
    expect(editableJson(value)).toEqual({ problem: expect.stringMatching(problem) });
  });
});

function valueInItself(): unknown {
  const value: { self?: unknown } = {};
  value.self = value;
  return value;
}
