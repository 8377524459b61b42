import assert from "node:assert/strict";
import {
  type CheckpointCases,
  type CheckpointScene,
  assertRefused,
  assertStored,
  saveAll,
} from "./checkpoint-checks.js";
import type { ExecutionCheckpoint } from "../../checkpoint-store/model/execution-checkpoint.js";
import { casesOf } from "../suite-case.js";

/** Values by what is special about them. Each is read back equal. */
const VALUES: Readonly<Record<string, () => unknown>> = {
  null: () => null,
  undefined: () => undefined,
  "true and false": () => [true, false],
  numbers: () => [0, -1, 0.1, 1e-7, 1e21, 1e300, 5e-324, Number.MAX_VALUE, 2 ** 53 - 1, -(2 ** 31), 2 ** 64],
  "NaN and infinities": () => [Number.NaN, Infinity, -Infinity],
  "negative zero": () => [-0, 0],
  "BigInts of any size": () => [0n, -1n, 2n ** 53n + 1n, 2n ** 64n, -(10n ** 40n)],
  "texts of any language": () => ["", " ", "é", "e\u0301", "Ж", "日本語", "עברית", "😀", "\u2028\uffff"],
  "control characters, quotes and backslashes": () => "\u0001\b\t\n\f\r\u007f\"'\\\\u0041/%_",
  "U+0000 and lone surrogates": () => ["a\0b", "\ud800", "\udc00\ud800"],
  "a text of 200,000 characters": () => "long é ".repeat(28_572),
  "empty objects and lists": () => ({ object: {}, list: [], nested: [[], {}] }),
  "undefined as a part": () => ({ none: undefined, list: [undefined, null] }),
  "dates with milliseconds": () => [new Date(1), new Date(-1), new Date("2026-11-22T14:05:06.789Z")],
  "a Map with keys of any type": () =>
    new Map<unknown, unknown>([
      ["a", 1],
      [1, { b: 2 }],
      [null, new Map()],
    ]),
  "a Set": () => new Set<unknown>(["a", 1, new Set([2])]),
  "bytes and typed arrays": () => [
    new Uint8Array([0, 255, 128]),
    new Uint8Array(),
    new Float64Array([0.5, -0]),
    new Uint8Array([1, 2]).buffer,
  ],
  "regular expressions and URLs": () => [/^a[/]b$/giu, new URL("https://example.org/a?b=é")],
  "an object that has two places": () => {
    const part = { n: [1] };
    return { first: part, second: part };
  },
  "nested parts": () => ({ a: [[[{ b: [{ c: { d: [null, [], {}] } }] }]]] }),
  "parts that are nested 200 levels deep": () => {
    let value: unknown = "inside";
    for (let level = 0; level < 100; level += 1) value = { next: [value] };
    return value;
  },
  "keys of any form": () => ({
    "": 1,
    "a.b": 2,
    $eq: 3,
    "a b": 4,
    'quo"te': 5,
    "é😀": 6,
    constructor: 7,
    toString: 8,
    "10": 9,
    "U+0000 \0": 10,
  }),
  "a key __proto__": () =>
    JSON.parse('{"__proto__": {"polluted": 1}, "nested": {"__proto__": null}}') as unknown,
  "objects that look like records of the codec": () => [
    { lc: 2, type: "constructor", id: ["Set"], method: null, args: [[1]], kwargs: {} },
    {
      lc: 1,
      type: "constructor",
      id: ["langchain_core", "messages", "HumanMessage"],
      kwargs: { content: "a" },
    },
    { lc: 2, type: "undefined" },
    { lc_serde: ["json", ""] },
    { id: "c", node_name: "n", state: {}, metadata: null, timestamp: "2026-11-22T00:00:00Z", version: 1 },
  ],
};

/** Values that can't be read back equal, with the place of the problem within the value. */
const REFUSED: Readonly<Record<string, readonly [create: () => unknown, path: string]>> = {
  "a function": [() => ({ tools: [() => 1] }), ".tools[0]"],
  "a symbol": [() => ({ a: Symbol("a") }), ".a"],
  "a cycle": [cycle, ".self"],
  "an object of an unknown class": [() => ({ client: { inner: new Client() } }), ".client.inner"],
  "a Promise": [() => ({ later: Promise.resolve(1) }), ".later"],
};

/** What a store promises about states and metadata. */
export const valueCases: CheckpointCases = {
  ...casesOf("a value is read back equal", VALUES, async (create, scene: CheckpointScene) => {
    const { store, executionId, threadId, checkpoint } = scene;
    const metadata = { execution_id: executionId, thread_id: threadId, value: create() };
    const [whole, part] = [
      checkpoint({ state: create() }),
      checkpoint({ state: { value: create() }, metadata }),
    ];
    await saveAll(store, [whole, part]);
    await assertStored(store, whole);
    await assertStored(store, part);
  }),

  "Maps and Sets keep the order of their entries": async ({ store, checkpoint }) => {
    const order = ["z", "a", "10", "9", "m"];
    const saved = checkpoint({ state: [new Map(order.map((key) => [key, 0])), new Set(order)] });
    await store.save(saved);
    const [map, set] = (await store.load(saved.id)).state as [Map<string, number>, Set<string>];
    assert.deepEqual([[...map.keys()], [...set]], [order, order]);
  },

  "messages of LangChain are read back with all of their parts": async ({ store, checkpoint }) => {
    // Only this case needs it, and loading it takes long.
    const { AIMessage, HumanMessage, ToolMessage } = await import("@langchain/core/messages");
    const call = { id: "call_1", name: "search", args: { q: "é" }, type: "tool_call" as const };
    const messages = [
      new HumanMessage({ content: "a", id: "m1", additional_kwargs: { n: 1 } }),
      new AIMessage({
        content: [{ type: "text", text: "b" }],
        tool_calls: [call],
        response_metadata: { t: 1 },
      }),
      new ToolMessage({ content: "c", tool_call_id: "call_1", name: "search" }),
    ];
    const saved = checkpoint({ state: { messages } });
    await store.save(saved);
    const { state } = await store.load(saved.id);
    const { messages: found } = state as { messages: typeof messages };
    assert.deepEqual(
      found.map((message) => message.toDict()),
      messages.map((message) => message.toDict()),
    );
  },

  ...casesOf(
    "a value that can't be read back equal is refused with its path, and nothing is stored",
    REFUSED,
    async ([create, path], { store, executionId, threadId, checkpoint }: CheckpointScene) => {
      const stored = checkpoint();
      const metadata = { execution_id: executionId, thread_id: threadId, value: create() };
      await store.save(stored);
      const refusal = { name: "SerializationError", code: "SERIALIZATION_FAILED", checkpointId: stored.id };
      await assertRefused(() => store.save({ ...stored, state: create() }), {
        ...refusal,
        path: `state${path}`,
      });
      await assertRefused(() => store.save({ ...stored, metadata }), {
        ...refusal,
        path: `metadata.value${path}`,
      });
      await assertStored(store, stored);
    },
  ),

  "a state that can't be read is refused with the error of its getter, and nothing is stored": async (
    scene,
  ) => {
    const { store, checkpoint } = scene;
    const [stored, cause] = [checkpoint(), new Error("read")];
    await store.save(stored);
    const state = {
      get broken(): never {
        throw cause;
      },
    };
    await assertRefused(() => store.save({ ...stored, state }), {
      code: "SERIALIZATION_FAILED",
      checkpointId: stored.id,
      cause,
    });
    await assertStored(store, stored);
  },
};

class Client {
  readonly url = "https://example.org";
}

function cycle(): object {
  const value: Record<string, unknown> = {};
  value.self = value;
  return value;
}

interface Parts {
  list: number[];
  map: Map<string, number[]>;
  bytes: Uint8Array;
}

const parts = (): Parts => ({ list: [1], map: new Map([["a", [1]]]), bytes: new Uint8Array([1]) });

/** Changes everything that a checkpoint holds. */
function spoil(checkpoint: ExecutionCheckpoint): void {
  const { list, map, bytes } = checkpoint.state as Parts;
  list.push(2);
  map.get("a")?.push(2);
  map.set("b", []);
  bytes[0] = 2;
  Object.assign(checkpoint.metadata ?? {}, { execution_id: "other", extra: true });
  checkpoint.timestamp.setTime(0);
}

/** What a store promises about objects that its caller changes. */
export const copyCases: CheckpointCases = {
  "a change of a checkpoint after the call of save changes nothing stored, even before it is stored": async (
    scene,
  ) => {
    const { store, executionId, checkpoint } = scene;
    const [given, expected] = twins(checkpoint({ state: parts() }));
    const saving = store.save(given);
    spoil(given);
    await saving;
    spoil(given);
    assert.deepEqual(await store.load(given.id), expected);
    assert.deepEqual(await store.list(executionId), [expected]);
  },

  "a change of a checkpoint that was read changes nothing stored": async (scene) => {
    const { store, executionId, threadId, checkpoint } = scene;
    const [given, expected] = twins(checkpoint({ state: parts() }));
    await store.save(given);
    spoil(await store.load(given.id));
    for (const each of await store.list(executionId)) spoil(each);
    for (const each of [await store.latest({ threadId })]) if (each !== undefined) spoil(each);
    assert.deepEqual(await store.load(given.id), expected);
    assert.deepEqual(await store.latest(executionId), expected);
  },

  "two reads share nothing with each other": async ({ store, executionId, checkpoint }) => {
    const [given, expected] = twins(checkpoint({ state: parts() }));
    await store.save(given);
    const [one, other] = await Promise.all([store.load(given.id), store.load(given.id)]);
    const [listed] = await store.list(executionId);
    spoil(one);
    assert.deepEqual([other, listed], [expected, expected]);
  },

  "a checkpoint that was read stays as it was when it is replaced or deleted": async (scene) => {
    const { store, executionId, checkpoint } = scene;
    const [given, expected] = twins(checkpoint({ state: parts() }));
    await store.save(given);
    const [loaded, listed] = [await store.load(given.id), await store.list(executionId)];
    await store.save({ ...given, state: "new" });
    await store.delete(given.id);
    assert.deepEqual([loaded, listed], [expected, [expected]]);
  },
};

/** A checkpoint, and an equal one that shares nothing with it. */
function twins(checkpoint: ExecutionCheckpoint): [given: ExecutionCheckpoint, expected: ExecutionCheckpoint] {
  return [checkpoint, structuredClone(checkpoint)];
}
