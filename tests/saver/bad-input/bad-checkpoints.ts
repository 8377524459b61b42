import type { ChannelVersions, Checkpoint, CheckpointMetadata } from "@langchain/langgraph-checkpoint";
import { argumentsObject } from "../../../src/serde/test-support/values.js";
import { metadataOf } from "../../../test-support/checkpoints.js";
import {
  type BadInput,
  cycle,
  invalid,
  LONG_KEY,
  type NamedError,
  throwing,
  throwingProxy,
  unstorable,
  withProtoKey,
} from "./bad-input.js";

class Custom {
  readonly x = 1;
}

type Row = readonly [what: string, argument: unknown, error: NamedError];

const NO_CHECKPOINTS: readonly Row[] = [
  ["no checkpoint", undefined, invalid("checkpoint")],
  ["null as checkpoint", null, invalid("checkpoint")],
  ["text as checkpoint", "checkpoint", invalid("checkpoint")],
  ["a list as checkpoint", [], invalid("checkpoint")],
  ["a function as checkpoint", () => 1, invalid("checkpoint")],
  ["a Proxy that throws as checkpoint", throwingProxy(), invalid("checkpoint")],
  ["a getter of the id that throws", throwing("id"), invalid("checkpoint")],
];

/** Invalid values of the fields of a checkpoint. */
const FIELDS: readonly (readonly [what: string, change: object, error: NamedError])[] = [
  ["no id", { id: undefined }, invalid("checkpoint.id")],
  ["null as id", { id: null }, invalid("checkpoint.id")],
  ["a number as id", { id: 1 }, invalid("checkpoint.id")],
  ["empty text as id", { id: "" }, invalid("checkpoint.id")],
  ["U+0000 in the id", { id: "\0" }, invalid("checkpoint.id")],
  ["a lone surrogate in the id", { id: "\udc00" }, invalid("checkpoint.id")],
  ["an id over 2,000 bytes", { id: LONG_KEY }, invalid("checkpoint.id")],
  ["no v", { v: undefined }, invalid("checkpoint.v")],
  ["text as v", { v: "4" }, invalid("checkpoint.v")],
  ["1e21 as v, which JSONB writes out", { v: 1e21 }, invalid("checkpoint.v")],
  ["NaN as v", { v: NaN }, invalid("checkpoint.v")],
  ["-0 as v", { v: -0 }, invalid("checkpoint.v")],
  [
    "-0 as a version that a node has seen",
    { versions_seen: { node: { a: -0 } } },
    invalid("checkpoint.versions_seen.node.a"),
  ],
  ["no ts", { ts: undefined }, invalid("checkpoint.ts")],
  ["a number as ts", { ts: 1 }, invalid("checkpoint.ts")],
  ["a Date as ts", { ts: new Date(0) }, invalid("checkpoint.ts")],
  ...[
    "",
    "yesterday",
    "2024",
    "2024-02-30T00:00:00Z",
    "2024-01-01T25:00:00Z",
    "2024-01-01T00:00:00Z\0",
    "\ud800",
  ].map((ts): readonly [what: string, change: object, error: NamedError] => [
    `${JSON.stringify(ts)} as ts`,
    { ts },
    invalid("checkpoint.ts"),
  ]),
  ["a Map as channel_values", { channel_values: new Map([["a", 1]]) }, invalid("checkpoint.channel_values")],
  ["an instance as channel_values", { channel_values: new Custom() }, invalid("checkpoint.channel_values")],
  ["Math as channel_values", { channel_values: Math }, invalid("checkpoint.channel_values")],
  [
    "arguments as channel_values",
    { channel_values: argumentsObject(1) },
    invalid("checkpoint.channel_values"),
  ],
  ["a field named __proto__", withProtoKey({}), invalid("checkpoint")],
  ["a node named __proto__", { versions_seen: withProtoKey({}) }, invalid("checkpoint.versions_seen")],
  [
    "a channel named __proto__ that a node has seen",
    { versions_seen: { node: withProtoKey(1) } },
    invalid("checkpoint.versions_seen.node"),
  ],
  [
    "a Map as what a node has seen",
    { versions_seen: { node: new Map([["a", 1]]) } },
    invalid("checkpoint.versions_seen.node"),
  ],
  ...[null, undefined, NaN, 1n, true, 1e21, new Date(0)].map(
    (version): readonly [what: string, change: object, error: NamedError] => [
      `${String(version)} as a version that a node has seen`,
      { versions_seen: { node: { a: version } } },
      invalid("checkpoint.versions_seen.node.a"),
    ],
  ),
  ["null as channel_values", { channel_values: null }, invalid("checkpoint.channel_values")],
  ["a list as channel_values", { channel_values: [1] }, invalid("checkpoint.channel_values")],
  ["text as channel_values", { channel_values: "a" }, invalid("checkpoint.channel_values")],
  ["null as channel_versions", { channel_versions: null }, invalid("checkpoint.channel_versions")],
  ["a list as channel_versions", { channel_versions: [1] }, invalid("checkpoint.channel_versions")],
  ["null as versions_seen", { versions_seen: null }, invalid("checkpoint.versions_seen")],
  ["a list as versions_seen", { versions_seen: [] }, invalid("checkpoint.versions_seen")],
  [
    "a number as what a node has seen",
    { versions_seen: { node: 1 } },
    invalid("checkpoint.versions_seen.node"),
  ],
  [
    "a list as what a node has seen",
    { versions_seen: { node: [] } },
    invalid("checkpoint.versions_seen.node"),
  ],
  [
    "a function as what a node has seen",
    { versions_seen: { node: { a: () => 1 } } },
    invalid("checkpoint.versions_seen.node.a"),
  ],
  [
    "a getter of what a node has seen that throws",
    { versions_seen: { node: throwing("a") } },
    invalid("checkpoint"),
  ],
  ["a function in a field of its own", { extra: () => 1 }, unstorable("checkpoint.extra")],
  ["a cycle in a field of its own", { extra: cycle() }, unstorable("checkpoint.extra.self")],
  ["a Proxy that throws in a field of its own", { extra: throwingProxy() }, unstorable("checkpoint.extra")],
];

/** Invalid versions of a channel. */
const VERSIONS: readonly (readonly [what: string, versions: unknown, at: string])[] = [
  ["an object as version", { a: {} }, ".a"],
  ["null as version", { a: null }, ".a"],
  ["a boolean as version", { a: true }, ".a"],
  ["NaN as version", { a: NaN }, ".a"],
  ["Infinity as version", { a: -Infinity }, ".a"],
  ["-0 as version, which would be read as 0", { a: -0 }, ".a"],
  ["a BigInt as version", { a: 1n }, ".a"],
  ["1e21 as version, which JSONB writes out", { a: 1e21 }, ".a"],
  ["1e-7 as version, which JSONB writes out", { a: 1e-7 }, ".a"],
  ["a channel named __proto__", withProtoKey(1), ""],
  ["a version with U+0000", { a: "\0" }, ".a"],
  ["a version with a lone surrogate", { a: "\ud800" }, ".a"],
  ["a version over 2,000 bytes", { a: LONG_KEY }, ".a"],
  ["a channel with U+0000", { "\0": 1 }, ".\0"],
  ["a channel with a lone surrogate", { "\ud800": 1 }, ".\ud800"],
  ["a channel over 2,000 bytes", { [LONG_KEY]: 1 }, `.${LONG_KEY}`],
];

const METADATA: readonly Row[] = [
  ["no metadata", undefined, invalid("metadata")],
  ["null as metadata", null, invalid("metadata")],
  ["text as metadata", "loop", invalid("metadata")],
  ["a list as metadata", [], invalid("metadata")],
  ["a Map as metadata", new Map([["step", 1]]), invalid("metadata")],
  ["Math as metadata", Math, invalid("metadata")],
  ["arguments as metadata", argumentsObject(1), invalid("metadata")],
  ["a number as source", { source: 1 }, invalid("metadata.source")],
  ["text as step", { step: "1" }, invalid("metadata.step")],
  ["a step before -2", { step: -3 }, invalid("metadata.step")],
  ["half a step", { step: 0.5 }, invalid("metadata.step")],
  ["an infinite step", { step: Infinity }, invalid("metadata.step")],
  ["NaN as step", { step: NaN }, invalid("metadata.step")],
  ["a list as parents", { parents: [] }, invalid("metadata.parents")],
  ["a parent that is no text", { parents: { "": 1 } }, invalid("metadata.parents")],
  ["a key of metadata named __proto__", withProtoKey(1), invalid("metadata")],
  ["a parent of a namespace named __proto__", { parents: withProtoKey("1") }, invalid("metadata.parents")],
  ["a Proxy that throws as metadata", throwingProxy(), invalid("metadata")],
  ["a function in metadata", { on: () => 1 }, unstorable("metadata.on")],
  ["a symbol in metadata", { tags: [Symbol("s")] }, unstorable("metadata.tags[0]")],
  ["a cycle in metadata", { of: cycle() }, unstorable("metadata.of.self")],
  ["an instance of a class in metadata", { of: new Custom() }, unstorable("metadata.of")],
  ["Math in metadata", { of: Math }, unstorable("metadata.of")],
  ["arguments in metadata", { of: argumentsObject(1) }, unstorable("metadata.of")],
  ["a Promise in metadata", { of: Promise.resolve(1) }, unstorable("metadata.of")],
  ["a WeakMap in metadata", { of: new WeakMap() }, unstorable("metadata.of")],
  ["a getter in metadata that throws", { of: throwing("x") }, unstorable("metadata")],
  ["a Proxy in metadata that throws", { of: throwingProxy() }, unstorable("metadata")],
];

const NEW_VERSIONS: readonly Row[] = [
  ["null", null, invalid("newVersions")],
  ["a list", ["a"], invalid("newVersions")],
  ["text", "a", invalid("newVersions")],
  ["a Proxy that throws", throwingProxy(), invalid("newVersions")],
  ...VERSIONS.map(([what, versions, at]): Row => [what, versions, invalid(`newVersions${at}`)]),
];

const BAD_FIELDS = [
  ...FIELDS,
  ...VERSIONS.map(
    ([what, channel_versions, at]) =>
      [what, { channel_versions }, invalid(`checkpoint.channel_versions${at}`)] as const,
  ),
];

/** Invalid arguments of `put`, except the config. */
export const BAD_CHECKPOINTS: readonly BadInput[] = [
  ...NO_CHECKPOINTS.map(([what, argument, error]): BadInput => ({
    what: `put with ${what}`,
    call: ({ saver, config }) => saver.put(config, argument as Checkpoint, metadataOf(), {}),
    error,
  })),
  ...BAD_FIELDS.map(([what, change, error]): BadInput => ({
    what: `put of a checkpoint with ${what}`,
    call: ({ saver, config, checkpoint }) =>
      saver.put(config, { ...checkpoint, ...change }, metadataOf(), {}),
    error,
  })),
  ...METADATA.map(([what, argument, error]): BadInput => ({
    what: `put with ${what}`,
    call: ({ saver, config, checkpoint }) =>
      saver.put(config, checkpoint, argument as CheckpointMetadata, {}),
    error,
  })),
  ...NEW_VERSIONS.map(([what, argument, error]): BadInput => ({
    what: `put with new versions: ${what}`,
    call: ({ saver, config, checkpoint }) =>
      saver.put(config, checkpoint, metadataOf(), argument as ChannelVersions),
    error,
  })),
];
