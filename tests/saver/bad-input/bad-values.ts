import { expect } from "@jest/globals";
import { argumentsObject } from "../../../src/serde/test-support/values.js";
import { metadataOf } from "../../../test-support/checkpoints.js";
import { type BadInput, cycle, throwing, throwingProxy, unstorable } from "./bad-input.js";

class Custom {
  readonly x = 1;
}

/** Values that would not be read back equal, and the path to the faulty part. */
const VALUES: readonly (readonly [what: string, value: unknown, rest?: string])[] = [
  ["a function", () => 1],
  ["a class", Custom],
  ["a symbol", Symbol("s")],
  ["an instance of an unknown class", new Custom()],
  ["an Error of an unknown class", new (class extends Error {})()],
  ["an array of an unknown class", new (class extends Array {})()],
  ["a Map of an unknown class", new (class extends Map {})()],
  ["an arguments object", argumentsObject(1)],
  ["the built-in namespace Math", Math],
  ["a WeakMap", new WeakMap()],
  ["a WeakSet", new WeakSet()],
  ["a WeakRef", new WeakRef({})],
  ["a Promise", Promise.resolve(1)],
  ["an iterator", [1].values()],
  ["shared memory", new SharedArrayBuffer(1)],
  ["a boxed bigint", Object(1n)],
  ["a property named by a symbol", { [Symbol("s")]: 1 }],
  ["a function in a Map", new Map([["k", () => 1]]), '.get("k")'],
  ["a symbol in a Set", new Set([Symbol("s")]), ".values()[0]"],
  ["a cycle", cycle(), ".self"],
  ["a getter that throws", throwing("x")],
  ["a Proxy that throws", throwingProxy()],
];

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}

function inChannelAndWrite(what: string, value: unknown, path: unknown): readonly BadInput[] {
  const error = unstorable(path, { channel: "a" });
  return [
    {
      what: `put of ${what}`,
      call: ({ saver, config, checkpoint }) => {
        const changed = { ...checkpoint, channel_values: { ...checkpoint.channel_values, a: value } };
        return saver.put(config, changed, metadataOf(), { a: 1 });
      },
      error,
    },
    {
      what: `putWrites of ${what}`,
      call: ({ saver, config }) =>
        saver.putWrites(
          config,
          [
            ["before", 1],
            ["a", value],
          ],
          "task",
        ),
      error,
    },
  ];
}

/** Values that the saver itself reads before a serializer does. */
const LOOKED_AT: readonly BadInput[] = [
  ...[
    ["with a getter that throws", throwing("a"), { a: 1 }, "a"] as const,
    ["with a getter that throws of an unchanged channel", throwing("b"), {}, "b"] as const,
    ["that are a Proxy that throws", throwingProxy(), { a: 1 }, "a"] as const,
    ["with a barrier that throws", { "join:x:y": throwingList() }, { "join:x:y": 1 }, "join:x:y"] as const,
  ].map(([what, values, newVersions, channel]): BadInput => ({
    what: `put of channel_values ${what}`,
    call: ({ saver, config, checkpoint }) => {
      const channel_values = values as Record<string, unknown>;
      return saver.put(config, { ...checkpoint, channel_values }, metadataOf(), newVersions);
    },
    error: unstorable("", { channel }),
  })),
  {
    what: "putWrites of an interrupt that is a Proxy that throws",
    call: ({ saver, config }) => saver.putWrites(config, [["__interrupt__", throwingProxy()]], "task"),
    error: unstorable("", { channel: "__interrupt__" }),
  },
];

/** A list whose only element throws. */
function throwingList(): unknown {
  return Object.defineProperty([1], 0, Object.getOwnPropertyDescriptor(throwing("x"), "x") ?? {});
}

/** Values that can't be stored, as the value of a channel and of a write. */
export const BAD_VALUES: readonly BadInput[] = [
  ...LOOKED_AT,
  ...VALUES.flatMap(([what, value, rest = ""]) =>
    inChannelAndWrite(what, { messages: [value] }, `messages[0]${rest}`),
  ),
  ...inChannelAndWrite("a function by itself", () => 1, ""),
  ...inChannelAndWrite("what is nested 10,000 deep", nested(10_000), expect.stringMatching(/^(\[0\])+/)),
];
