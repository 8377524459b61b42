import { Document } from "@langchain/core/documents";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { StringPromptValue } from "@langchain/core/prompt_values";
import { Command, Overwrite, Send } from "@langchain/langgraph";

/** Values of every type that a TypeScript state may hold, by their names in docs/interop.md. */
export function everyTypeScriptValue(): Record<string, unknown> {
  return {
    "`undefined`": undefined,
    "`null`": null,
    "`boolean`": true,
    "`number`, whole": 3,
    "`number`": 0.5,
    "`number`, negative zero": -0,
    "`number` beyond 2**53": 2 ** 60,
    "`number`, not a number": NaN,
    "`bigint` within 2**53": 5n,
    "`bigint` within 64 bits": 2n ** 60n + 1n,
    "`bigint` beyond 64 bits": 2n ** 70n + 1n,
    "`string`": "Zürich 🏔",
    "boxed `string`, `number` or `boolean`": Object("a"),
    "`string` with a lone surrogate": "a\ud800",
    object: { a: 1 },
    "object without a prototype": Object.assign(Object.create(null) as object, { a: 1 }),
    "object with a lone surrogate in a key": { a: 1, "\ud800": 2 },
    array: [1, "a"],
    "array with properties, such as a match of a `RegExp`": /a(b)/.exec("ab"),
    "array with a hole": Object.assign(Array<unknown>(3), [1]),
    "`Map`": new Map([["a", 1]]),
    "`Set` of texts or numbers": new Set(["a"]),
    "`Set` of objects": new Set([{ a: 1 }]),
    "`Set` of arrays": new Set([[1]]),
    "`Date`": new Date(Date.UTC(2024, 0, 2, 3, 4, 5, 123)),
    "`Date`, invalid": new Date(NaN),
    "`Date` after the year 9999": new Date(8.64e15),
    "`RegExp` of literals, classes, groups, `*`, `+`, `?`": /^a(b|[cd])+e?/,
    "`RegExp` with the flag `i`": /abc/i,
    "`RegExp` with any other flag": /abc/g,
    "`RegExp` with `.`, `$`, `\\d`, `\\w`, `\\s`, `\\b` or `{…}`": /\d+$/,
    "`URL`": new URL("https://example.com/a"),
    "`Error`": Object.assign(new TypeError("broken"), { stack: "TypeError: broken" }),
    "`Uint8Array`": Uint8Array.of(1, 2),
    "`Buffer`": Buffer.from([1, 2]),
    "`Int8Array` to `BigUint64Array`, `Float32Array`, `Float64Array`": Float32Array.of(1.5, -2),
    "`Uint8ClampedArray`": Uint8ClampedArray.of(1),
    "`ArrayBuffer`": Uint8Array.of(1).buffer,
    "`DataView`": new DataView(Uint8Array.of(1).buffer),
    "`HumanMessage`, and any other message": new HumanMessage({ content: "hi", id: "h" }),
    "`AIMessage` with `tool_calls`": new AIMessage({
      content: "",
      id: "a",
      tool_calls: [{ name: "search", args: { q: "x" }, id: "c", type: "tool_call" }],
    }),
    "`Document`": new Document({ pageContent: "text", metadata: { page: 1 }, id: "d" }),
    "`Document` with a property of its own": Object.assign(new Document({ pageContent: "text", id: "d" }), {
      score: 0.5,
    }),
    "prompt value": new StringPromptValue("hi"),
    "`Send`": new Send("node", { a: 1 }),
    "`Command`": new Command({ update: { a: 1 }, goto: "next" }),
    "`Overwrite`": new Overwrite([1]),
  };
}
