import { isStringArray, type JsonObject, type JsonValue } from "../serde/json/json-value.js";
import { InvalidConfigError } from "../errors/index.js";
import { encodeJsonb } from "../serde/json/jsonb.js";

/** The condition of a list on metadata. */
interface MetadataFilter {
  /** The JSON text that metadata must contain. */
  readonly contained: string;
  /** JSON texts, none of which metadata may contain; `undefined` where there are none. */
  readonly notContained: readonly string[] | undefined;
}

/**
 * Encodes a filter for JSONB containment: metadata contains it, whatever other keys there are, and lists
 * match in any order. Values that JSON lacks are stored as records, `{lc: 2, …}`, which a filter must not
 * match by accident. So where a record would contain a plain object of the filter, the filter excludes
 * records. Records in a filter are allowed only if two of them that contain each other are always equal.
 *
 * @returns `undefined` for an empty filter.
 * @throws InvalidConfigError naming the path of a value that would match other values, or that JSON would
 *   drop. Without it the filter would match metadata that it should leave out.
 */
export function encodeFilter(
  filter: Readonly<Record<string, unknown>> | undefined,
  name: string,
): MetadataFilter | undefined {
  if (filter === undefined || Object.keys(filter).length === 0) return undefined;
  // First, since it rejects cycles and wraps whatever a getter throws.
  const json = encodeJsonb(filter, name);
  refuseUndefined(filter, name);
  const plain = [...plainObjectsOf(json, { path: name, around: asWholeFilter })];
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

/** The place of a value in a filter. */
interface FilterPlace {
  readonly path: string;
  /**
   * Returns the filter with `inner` at this place; `undefined` within a list, where values have no fixed
   * place.
   */
  readonly around: ((inner: JsonValue) => JsonValue) | undefined;
}

/** Yields the objects in a filter that a record would contain, with their places. */
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
  if (isEncodedRecord(json)) {
    refuseInexact(json, place.path);
    return;
  }
  const { around } = place;
  if (mayMatchRecord(json)) {
    // In a list an empty object means any object, including a record.
    if (around === undefined && Object.keys(json).length > 0) {
      throw new InvalidConfigError(
        place.path,
        "must have a key other than lc, type, id, method, args and kwargs",
      );
    }
    if (around !== undefined && around !== asWholeFilter) yield { around };
  }
  for (const [key, inner] of Object.entries(json)) {
    yield* plainObjectsOf(inner, {
      path: `${place.path}.${key}`,
      around: around && ((value) => around({ [key]: value })),
    });
  }
}

/** The place of the filter asWholeFilter, where metadata is always an object. */
function asWholeFilter(inner: JsonValue): JsonValue {
  return inner;
}

/** The common part of all records, which stand for values that JSON lacks. */
const RECORDS: readonly JsonObject[] = [
  { lc: 2, type: "constructor" },
  { lc: 2, type: "undefined" },
];

// An object of the caller that looks like a record has been encoded as a record of its entries.
function isEncodedRecord({ lc, type }: JsonObject): boolean {
  return RECORDS.some((record) => record.lc === lc && record.type === type);
}

function mayMatchRecord(json: JsonObject): boolean {
  return Object.entries(json).every(([key, value]) => {
    if (key === "lc") return value === 2;
    if (key === "type") return RECORDS.some(({ type }) => type === value);
    if (key === "id" || key === "args") return Array.isArray(value);
    if (key === "method") return value === null || value === "from";
    return key === "kwargs" && typeof value === "object";
  });
}

/** Classes whose records store the value as one text: if one record contains another they are equal. */
const EXACT_CLASSES = new Set([
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
  if (!EXACT_CLASSES.has(name)) throw new InvalidConfigError(path, problemOf(name));
}

/**
 * The problem of a value whose record consists of lists, which JSONB compares without order and repetitions.
 */
function problemOf(name: string): string {
  if (name === "String") return "must not contain U+0000 or a lone surrogate, which JSONB can't search for";
  if (name !== "Object") return `must not be of the class ${name}, which JSONB can't search for`;
  return "must be a plain object, without the key __proto__, and without U+0000 and lone surrogates in its keys";
}
