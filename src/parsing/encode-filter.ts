import { isStringArray, type JsonObject, type JsonValue } from "../serde/json/json-value.js";
import { InvalidConfigError } from "../errors/index.js";
import { encodeJsonb } from "../serde/jsonb/encode-jsonb.js";

/** What a list asks of metadata. */
export interface MetadataFilter {
  /** The JSON text that metadata has to contain. */
  readonly contained: string;
  /** JSON texts of which metadata must contain none; `undefined` where there are none. */
  readonly notContained: readonly string[] | undefined;
}

/**
 * A filter as JSONB compares it: metadata contains it, whatever else is there, and lists in any order. Values that JSON
 * lacks are stored as records, `{lc: 2, …}`, of which that must not hold. So a plain object that a record would contain is
 * asked for beside no record, and of the records only those are let through that are equal wherever one contains the other.
 *
 * @returns `undefined` where a filter asks for nothing.
 * @throws InvalidConfigError naming the path of a value that would match others, or that got lost on its way: without it the
 *   filter would match what it was to leave out.
 */
export function encodeFilter(
  filter: Readonly<Record<string, unknown>> | undefined,
  name: string,
): MetadataFilter | undefined {
  if (filter === undefined || Object.keys(filter).length === 0) return undefined;
  // First, since it ends on a cycle and lets nothing out that a getter throws.
  const json = encodeJsonb(filter, name);
  refuseUndefined(filter, name);
  const plain = [...plainObjectsOf(json, { path: name, around: itself })];
  const notContained = plain.flatMap(({ around }) => RECORDS.map((record) => JSON.stringify(around(record))));
  return {
    contained: JSON.stringify(json),
    notContained: notContained.length === 0 ? undefined : notContained,
  };
}

function refuseUndefined(value: unknown, path: string): void {
  if (value === undefined) throw new InvalidConfigError(path, "must not be undefined");
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) refuseUndefined(inner, `${path}.${key}`);
}

/** Where in a filter a value stands. */
interface FilterPlace {
  readonly path: string;
  /** The filter that asks for `inner` at this place; `undefined` within a list, where values have no places. */
  readonly around: ((inner: JsonValue) => JsonValue) | undefined;
}

/** Of the objects in a filter those that a record would contain, each with its place. */
function* plainObjectsOf(
  json: JsonValue,
  place: FilterPlace,
): Generator<{ around: (inner: JsonValue) => JsonValue }> {
  if (typeof json !== "object" || json === null) return;
  if (Array.isArray(json)) {
    for (const [index, inner] of json.entries()) {
      yield* plainObjectsOf(inner, { path: `${place.path}.${index}`, around: undefined });
    }
    return;
  }
  if (isRecord(json)) {
    refuseInexact(json, place.path);
    return;
  }
  const { around } = place;
  if (mayBePartOfRecord(json)) {
    // In a list an empty one asks for any object, and for what is stored as one.
    if (around === undefined && Object.keys(json).length > 0) {
      throw new InvalidConfigError(
        place.path,
        "must have a key other than lc, type, id, method, args and kwargs",
      );
    }
    if (around !== undefined && around !== itself) yield { around };
  }
  for (const [key, inner] of Object.entries(json)) {
    yield* plainObjectsOf(inner, {
      path: `${place.path}.${key}`,
      around: around && ((value) => around({ [key]: value })),
    });
  }
}

/** The filter as a whole: metadata is an object. */
function itself(inner: JsonValue): JsonValue {
  return inner;
}

/** What all records have that stand for what JSON lacks. */
const RECORDS: readonly JsonObject[] = [
  { lc: 2, type: "constructor" },
  { lc: 2, type: "undefined" },
];

// An object of the caller's own that looks like one has been encoded as a record of its entries.
function isRecord({ lc, type }: JsonObject): boolean {
  return RECORDS.some((record) => record.lc === lc && record.type === type);
}

function mayBePartOfRecord(json: JsonObject): boolean {
  return Object.entries(json).every(([key, value]) => {
    if (key === "lc") return value === 2;
    if (key === "type") return RECORDS.some(({ type }) => type === value);
    if (key === "id" || key === "args") return Array.isArray(value);
    if (key === "method") return value === null || value === "from";
    return key === "kwargs" && typeof value === "object";
  });
}

/** Records that hold their value as one text: where one contains another they are the same. */
const EXACT = new Set([
  "ArrayBuffer",
  "BigInt",
  "BigInt64Array",
  "BigUint64Array",
  "Buffer",
  "DataView",
  "Date",
  "Float16Array",
  "Float32Array",
  "Float64Array",
  "Int16Array",
  "Int32Array",
  "Int8Array",
  "Number",
  "URL",
  "Uint16Array",
  "Uint32Array",
  "Uint8ClampedArray",
]);

function refuseInexact({ id }: JsonObject, path: string): void {
  const [name = "undefined"] = isStringArray(id) ? id : [];
  if (!EXACT.has(name)) throw new InvalidConfigError(path, problemOf(name));
}

/** Why a value is refused whose record is made of lists, which JSONB compares without order and repetitions. */
function problemOf(name: string): string {
  if (name === "String") return "must not contain U+0000 or a lone surrogate, which JSONB can't look for";
  if (name !== "Object") return `must not be of the class ${name}, which JSONB can't look for`;
  return "must be a plain object, without the key __proto__, and without U+0000 and lone surrogates in its keys";
}
