import { runInNewContext } from "node:vm";
import { describe, expect, test } from "@jest/globals";
import { Document } from "@langchain/core/documents";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { StringPromptValue } from "@langchain/core/prompt_values";
import { Command, Overwrite, Send } from "@langchain/langgraph";
import { DeltaSnapshot } from "@langchain/langgraph-checkpoint";
import fc from "fast-check";
import { argumentsObject } from "./test-support/values.js";
import { firstDifference } from "./test-support/first-difference.js";
import { runs } from "../../test-support/runs.js";
import { SerializationError } from "../errors/index.js";
import * as moduleNamespace from "./json/json-value.js";
import { parseJsonText, stringifyJson } from "./json/json-text.js";
import { decode } from "./msgpack/msgpack-decoder.js";
import { encode } from "./msgpack/msgpack-encoder.js";

const layouts: Record<string, (value: unknown) => unknown> = {
  MessagePack: (value) => decode(encode(value)),
  JSON: (value) => parseJsonText(stringifyJson(value)),
  JSONB: (value) => parseJsonText(stringifyJson(value, { jsonb: true }), "jsonb"),
};

/** The difference after a round trip, or `undefined` if there is none or if an error that names the path refuses the value. */
async function differenceAfter(
  roundTrip: (value: unknown) => unknown,
  value: unknown,
): Promise<string | undefined> {
  let read: unknown;
  try {
    read = await roundTrip({ channel: [value] });
  } catch (error) {
    if (error instanceof SerializationError && error.path.startsWith("channel[0]")) return undefined;
    throw error;
  }
  return firstDifference(read, { channel: [value] });
}

function regExp(source: string, flags: string, lastIndex: unknown): RegExp {
  const made = new RegExp(source, flags);
  Reflect.set(made, "lastIndex", lastIndex);
  return made;
}

function withProperty<T extends object>(value: T, key: PropertyKey, property: unknown): T {
  return Object.defineProperty(value, key, {
    value: property,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

function withPrototype(value: object, prototype: object | null): object {
  return Object.setPrototypeOf(value, prototype) as object;
}

function withoutIterator(value: object): object {
  Reflect.deleteProperty(value, Symbol.iterator);
  return value;
}

const resizable = (): ArrayBuffer => Reflect.construct(ArrayBuffer, [4, { maxByteLength: 8 }]) as ArrayBuffer;
const shared = (): SharedArrayBuffer => new SharedArrayBuffer(8);

/** Creates a new instance of each kind of object for each run, since a run changes it. */
const MAKERS: readonly (() => object)[] = [
  () => ({ a: 1 }),
  () => ({}),
  () => withPrototype({ a: [1] }, null),
  () => [1, 2],
  () => [],
  () => new Map([["k", 1]]),
  () => new Set([1]),
  () => new Date(0),
  () => new Date(NaN),
  () => /a[bc]/g,
  () => new URL("https://example.org/?q=1"),
  () => new ArrayBuffer(4),
  () => new DataView(new ArrayBuffer(4)),
  () => Buffer.from("text"),
  () => new Uint8Array(3),
  () => new Uint8Array(100),
  () => new Uint8ClampedArray(100),
  () => new Float64Array(70),
  () => new BigInt64Array(1),
  () => new TypeError("text", { cause: 1 }),
  () => new AggregateError([1]),
  () => new HumanMessage("text"),
  () => new AIMessage({ content: "", tool_calls: [{ name: "f", args: {}, id: "1" }] }),
  () => new Document({ pageContent: "text" }),
  () => new StringPromptValue("text"),
  () => new Send("node", { x: 1 }),
  () => new Command({ goto: "node", update: { a: 1 } }),
  () => new Overwrite([1]),
  () => new DeltaSnapshot({ a: 1 }),
  resizable,
  () => new Uint8Array(resizable()),
  () => new Float32Array(shared()),
  () => new DataView(shared()),
  shared,
  () => /(?<year>\d+)/.exec("in 2024")?.groups ?? {},
  () => /a/.exec("a") ?? [],
  () => Object(1) as object,
  () => argumentsObject(1, 2),
  () => Promise.resolve(1),
  () => new WeakMap(),
  () => new (class Map2 extends Map {})(),
  () => new (class Note extends HumanMessage {})("text"),
  () => new (class Errand extends Send {})("node", 1),
];

const change = fc.constantFrom<(value: object) => object>(
  (value) => value,
  (value) => withProperty(value, "added", 1),
  (value) => withProperty(value, "constructor", Array),
  (value) => withProperty(value, "toJSON", "text"),
  (value) => withProperty(value, "__proto__", { a: 1 }),
  (value) => withProperty(value, "length2", null),
  (value) => withProperty(value, Symbol.for("added"), 1),
  (value) => withProperty(value, Symbol.toStringTag, "Map"),
  (value) => Object.defineProperty(value, "computed", { get: () => 5, enumerable: true, configurable: true }),
  (value) => Object.preventExtensions(value),
  (value) => (ArrayBuffer.isView(value) ? Object.seal(value) : Object.freeze(value)),
  (value) => ("lg_name" in value ? value : withPrototype(value, null)),
  // LangGraph objects are recognized by their `lg_name`, whatever their class is.
  (value) => ("lg_name" in value ? value : withPrototype(value, Map.prototype)),
  (value) => withPrototype(value, Object.create(Object.getPrototypeOf(value) as object) as object),
);

const place = fc.constantFrom<(value: object) => unknown>(
  (value) => value,
  (value) => ({ part: value }),
  (value) => new Map([[value, value]]),
  (value) => new Set([value]),
  (value) => new Error("text", { cause: value }),
  (value) => new HumanMessage({ content: "text", additional_kwargs: { value } }),
  (value) => Object.assign(new Send("node", 0), { args: value }),
);

/** Applies a change, and ignores that a frozen object can't be changed and a typed array can't be frozen. */
function tried(apply: (value: object) => object, value: object): object {
  try {
    return apply(value);
  } catch {
    return value;
  }
}

describe.each(Object.entries(layouts))(
  "a value is read back equal, or an error that names its path refuses it: %s",
  (_name, roundTrip) => {
    test.each<[string, unknown]>([
      ["a RegExp with a lone surrogate", new RegExp("\ud800")],
      ["a RegExp with a lone surrogate in a class", new RegExp("[\udfff-\uffff]", "gi")],
      ...[-1, 0.5, NaN, Infinity, -0, 2 ** 40, "text", null, { a: [1] }, new Map([[1, 2]])].map(
        (lastIndex): [string, unknown] => ["a RegExp with an odd lastIndex", regExp("a", "g", lastIndex)],
      ),
      ["the groups of a match", /(?<a>.)/.exec("x")?.groups],
      ["an object without a prototype and without keys", Object.create(null)],
      [
        "objects without prototypes in one another",
        withPrototype({ ["__proto__"]: withPrototype({ a: undefined }, null) }, null),
      ],
      ["a Command of a Send", new Command({ goto: new Send("a", { x: new Map() }) })],
      [
        "a Document whose content is not a string",
        Object.assign(new Document({ pageContent: "" }), { pageContent: 5, metadata: null }),
      ],
    ])("%s", async (_what, value) => {
      expect(firstDifference(await roundTrip([value]), [value])).toBeUndefined();
    });

    test.each<[string, unknown]>([
      ...[
        new Float32Array(2),
        new Float32Array(200),
        Buffer.from("x"),
        new Uint8Array(100),
        new DataView(new ArrayBuffer(1)),
        new ArrayBuffer(1),
        new URL("a:b"),
        new Map(),
        new Set(),
        new Date(),
        /a/,
      ].map((value): [string, unknown] => [
        `${value.constructor.name} with a property`,
        withProperty(value, "added", 1),
      ]),
      ["a resizable ArrayBuffer", resizable()],
      ["a view of one", new Uint8Array(resizable())],
      ["a view of shared memory", new Uint8Array(shared())],
      ["a Send to a node that is no text", Object.assign(new Send("a", 1), { node: 5 })],
      ["a Send with a property", Object.assign(new Send("a", 1), { added: 1 })],
      ["a Command with a property", Object.assign(new Command({}), { added: 1 })],
      ["an Overwrite with a symbol", withProperty(new Overwrite(1), Symbol("s"), 1)],
      ["a message with a symbol", withProperty(new HumanMessage("x"), Symbol("s"), 1)],
      ["a DeltaSnapshot with a property", Object.assign(new DeltaSnapshot(1), { added: 1 })],
      ["a Map that is an array by its prototype", withPrototype(new Map(), Array.prototype)],
      ["an array that is an object by its prototype", withPrototype([1], Object.prototype)],
      ["a Date that is an object by its prototype", withPrototype(new Date(), Object.prototype)],
      [
        "a typed array that is an object by its prototype",
        withPrototype(new Uint8Array(1), Object.prototype),
      ],
      ...Object.entries({ Math, JSON, Reflect, Atomics, Intl }).map(
        ([name, namespace]): [string, unknown] => [`the built-in namespace ${name}`, namespace],
      ),
      ["a built-in namespace with an added property", runInNewContext("Object.assign(Math, { added: 1 })")],
      ["a module namespace", moduleNamespace],
      ["an arguments object", argumentsObject(1, 2)],
      ["an empty arguments object", argumentsObject()],
      ["an arguments object of another realm", runInNewContext("(function () { return arguments; })(1)")],
      ["an arguments object without an iterator", withoutIterator(argumentsObject(1, 2))],
    ])("refused: %s", async (_what, value) => {
      await expect(Promise.resolve({ channel: [value] }).then(roundTrip)).rejects.toThrow(/^at channel\[0\]/);
    });

    test("a Command that was changed is read back with its current fields", async () => {
      const command = Object.assign(new Command({ goto: "a", update: { x: 1 } }), { goto: ["b"] });
      expect(await roundTrip([command])).toEqual([
        expect.objectContaining({ goto: ["b"], update: { x: 1 } }),
      ]);
    });

    test("any kind of object, changed in any way, anywhere", async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...MAKERS),
          fc.array(change, { maxLength: 2 }),
          place,
          async (make, changes, put) => {
            const changed = changes.reduce((value, apply) => tried(apply, value), make());
            expect(await differenceAfter(roundTrip, put(changed))).toBeUndefined();
          },
        ),
        runs(2_000),
      );
    });
  },
);

describe.each(Object.entries(layouts))(
  "what other savers only store in part is read back equal: %s",
  (_name, roundTrip) => {
    test.each<[string, () => unknown]>([
      ["a match of a RegExp", () => /(?<year>\d+)-(x)?/.exec("in 2024-")],
      [
        "an array with properties",
        () =>
          Object.assign([1, [2]], { "": 1, total: undefined, "\ud800": [new Date(0)], 4294967295: "a name" }),
      ],
      [
        "a Document with a score",
        () => Object.assign(new Document({ pageContent: "a", metadata: { b: 1 } }), { score: 0.5 }),
      ],
      ["boxed values", () => ["text", -0, false, ""].map((primitive) => Object(primitive) as unknown)],
    ])("%s", async (_kind, make) => {
      expect(firstDifference(await roundTrip(make()), make())).toBeUndefined();
    });
  },
);
