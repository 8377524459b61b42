import { CorruptCheckpointError, DeserializationError } from "../../../src/index.js";
import type { NamedError } from "./bad-input.js";

/** The rows that a statement damages, and so what becomes unreadable. */
export type Damaged = "header" | "value" | "write" | "send";

/** Damage that somebody else did to a row. */
export interface CorruptRow {
  readonly what: string;
  readonly damaged: Damaged;
  /** The part of an UPDATE after SET. */
  readonly set: string;
  readonly error: NamedError;
}

const CORRUPT: NamedError = { type: CorruptCheckpointError, fields: { code: "CORRUPT_CHECKPOINT" } };
const UNREADABLE: NamedError = { type: DeserializationError, fields: { code: "DESERIALIZATION_FAILED" } };

function header(column: "checkpoint" | "metadata", json: string): CorruptRow {
  return { what: `${column} ${json}`, damaged: "header", set: `${column} = '${json}'`, error: CORRUPT };
}

/** A depth of nested arrays that no saver writes, and that a reader must not follow. */
const NEST = 1_500;
const NESTED = `('{"a":' || repeat('[', ${NEST}) || repeat(']', ${NEST}) || '}')::jsonb`;

/** A header whose field `key` has another value. */
function field(key: string, json: string): CorruptRow {
  const set = `checkpoint = jsonb_set(checkpoint, '{${key}}', '${json}')`;
  return { what: `checkpoint with "${key}" ${json}`, damaged: "header", set, error: CORRUPT };
}

function without(key: string): CorruptRow {
  const set = `checkpoint = checkpoint - '${key}'`;
  return { what: `checkpoint without "${key}"`, damaged: "header", set, error: CORRUPT };
}

const HEADERS: readonly CorruptRow[] = [
  ...["null", "true", "1", '"text"', "[]", "{}", '[{"v": 4}]'].map((json) => header("checkpoint", json)),
  ...["null", "true", "1", '"loop"', "[]", '[{"source": "loop"}]'].map((json) => header("metadata", json)),
  { what: "metadata nested 1,500 deep", damaged: "header", set: `metadata = ${NESTED}`, error: UNREADABLE },
  ...["channel_values", "versions_seen", "extra"].map((key): CorruptRow => ({
    what: `checkpoint with "${key}" nested 1,500 deep`,
    damaged: "header",
    set: `checkpoint = jsonb_set(checkpoint, '{${key}}', ${NESTED})`,
    error: UNREADABLE,
  })),
  ...["v", "id", "ts"].map(without),
  ...["null", '"4"', "true", "[]", "{}"].map((json) => field("v", json)),
  ...["null", "1", "true", "[]", "{}"].map((json) => field("id", json)),
  ...["null", "1", "true", "[]", "{}"].map((json) => field("ts", json)),
  ...["[]", '"text"', "1", "true"].map((json) => field("channel_values", json)),
  ...["[]", '"text"', "1", "true"].map((json) => field("channel_versions", json)),
  ...["{}", "null", "true", "[]"].map((json) => field("channel_versions,messages", json)),
  ...["[]", '"text"', "1", '{"node": 1}', '{"node": []}', '{"node": {"a": null}}', '{"node": {"a": {}}}'].map(
    (json) => field("versions_seen", json),
  ),
];

/** Type tags and bytes that no saver writes together. */
const VALUES: readonly (readonly [what: string, set: string])[] = [
  ["a Python pickle", "type = 'pickle'"],
  ["an unknown type", "type = 'yaml'"],
  ["an empty type", "type = ''"],
  ["a type in capitals", "type = 'MSGPACK'"],
  ["a value that was encrypted by Python", "type = 'msgpack+aes'"],
  ["a value that was encrypted here", "type = 'msgpack+aes-gcm'"],
  ["a value that was compressed", "type = 'msgpack+zstd'"],
  ["MessagePack said to be JSON", "type = 'json'"],
  ["no bytes at all", "blob = ''"],
  ["bytes that end early", "blob = substring(blob from 1 for length(blob) - 1)"],
  ["bytes after the end", "blob = blob || '\\x00'"],
  ["bytes without their beginning", "blob = '\\xff' || blob"],
  ["the byte that MessagePack never uses", "blob = '\\xc1'"],
  ["an array said to be of 2^32 elements", "blob = '\\xddffffffff'"],
  ["a map said to be of 2^32 entries", "blob = '\\xdfffffffff'"],
  ["a string said to be of 2^32 bytes", "blob = '\\xdbffffffff61'"],
  ["an extension that is cut off", "blob = '\\xc9ffffffff05'"],
  ["arrays nested 1,500 deep", `blob = decode(repeat('91', ${NEST}) || 'c0', 'hex')`],
  ["JSON that ends early", "type = 'json', blob = convert_to('{\"a\": [1', 'UTF8')"],
  ["JSON of two values", "type = 'json', blob = convert_to('1 2', 'UTF8')"],
  ["JSON without a byte", "type = 'json', blob = ''"],
  ["JSON of random bytes", "type = 'json', blob = '\\x9f8e7d6c5b4a'"],
  [
    "JSON nested 1,500 deep",
    `type = 'json', blob = convert_to(repeat('[', ${NEST}) || repeat(']', ${NEST}), 'UTF8')`,
  ],
];

function values(damaged: Damaged, table: string, more: typeof VALUES): readonly CorruptRow[] {
  return [...VALUES, ...more].map(([what, set]) => ({
    what: `${table}: ${what}`,
    damaged,
    set,
    error: UNREADABLE,
  }));
}

/** Each column that is not a key, with a value that no saver writes. */
export const CORRUPT_ROWS: readonly CorruptRow[] = [
  ...HEADERS,
  ...values("value", "checkpoint_blobs", [["NULL as bytes", "blob = null"]]),
  ...values("write", "checkpoint_writes", [["NULL as type of MessagePack", "type = null"]]),
  ...values("send", "checkpoint_writes of the parent", [["NULL as type of MessagePack", "type = null"]]),
];
