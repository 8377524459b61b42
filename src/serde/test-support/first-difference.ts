import { types } from "node:util";
import { tableClassOf, currentArguments } from "../langchain/classes.js";
import { ownSymbols, isObject } from "../objects/inspect-object.js";
import { PYTHON_ORIGIN, PYTHON_SCALARS } from "../python/python-origin.js";

type KeyOrder = "of keys counts" | "of keys is ignored";

/** Where a value stands. */
interface Place {
  readonly path: string;
  readonly order: KeyOrder;
  readonly isInLangChain: boolean;
}

/**
 * Describes the first difference between two values, or returns `undefined` if there is none. It compares prototypes, own keys, the
 * enumerability of properties, the sign of zero, holes and bytes. It ignores the origin in Python that a value keeps, symbols that only
 * brand an object, and in LangChain's objects fields without a value and what their constructor arguments were before.
 *
 * @param order - Whether the order of keys counts. JSONB sorts them.
 */
export function firstDifference(
  a: unknown,
  b: unknown,
  path = "value",
  order: KeyOrder = "of keys counts",
): string | undefined {
  return difference(a, b, { path, order, isInLangChain: false });
}

function difference(a: unknown, b: unknown, place: Place): string | undefined {
  const { path } = place;
  if (Object.is(a, b)) return undefined;
  if (!isObject(a) || !isObject(b)) return `${path}: ${describe(a)} is not ${describe(b)}`;
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return `${path}: another prototype`;
  return contentDifference(a, b, place) ?? propertyDifference(a, b, place);
}

function contentDifference(a: object, b: object, place: Place): string | undefined {
  const { path } = place;
  if (types.isMap(a) && types.isMap(b))
    return difference([...a], [...b], { ...place, path: `${path}.entries()` });
  if (types.isSet(a) && types.isSet(b))
    return difference([...a], [...b], { ...place, path: `${path}.values()` });
  return difference(content(a), content(b), { ...place, path: `${path} (content)` });
}

/** The content of an object apart from its properties, as a primitive. */
function content(value: object): unknown {
  if (types.isDate(value)) return value.getTime();
  if (types.isRegExp(value)) return String(value);
  if (types.isAnyArrayBuffer(value))
    return `${types.isSharedArrayBuffer(value)} ${String(Reflect.get(value, "resizable"))} ${Buffer.from(value).toString("hex")}`;
  if (ArrayBuffer.isView(value))
    return (
      `${types.isSharedArrayBuffer(value.buffer)} ${String(Reflect.get(value.buffer, "resizable"))} ` +
      Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("hex")
    );
  return value instanceof URL ? value.href : undefined;
}

function propertyDifference(a: object, b: object, place: Place): string | undefined {
  const { path, order } = place;
  const isInLangChain = place.isInLangChain || tableClassOf(a) !== undefined;
  const [keys, keysOfB] = [ownKeys(a, order, isInLangChain), ownKeys(b, order, isInLangChain)];
  for (const [index, key] of keys.entries()) {
    if (keysOfB[index] !== key) return `${path}: ${String(key)} is not ${String(keysOfB[index])}`;
    const [left, right] = [Object.getOwnPropertyDescriptor(a, key), Object.getOwnPropertyDescriptor(b, key)];
    if (left?.enumerable !== right?.enumerable) return `${path}.${String(key)}: enumerable in one only`;
    const found = difference(partOf(a, key), partOf(b, key), {
      path: `${path}.${String(key)}`,
      order,
      isInLangChain,
    });
    if (found !== undefined) return found;
  }
  return keys.length === keysOfB.length ? undefined : `${path}: another number of keys`;
}

function partOf(value: object, key: string | symbol): unknown {
  const name = key === "lc_kwargs" ? tableClassOf(value) : undefined;
  return name === undefined ? Reflect.get(value, key) : Object.fromEntries(currentArguments(value, name));
}

function ownKeys(value: object, order: KeyOrder, isInLangChain: boolean): (string | symbol)[] {
  const meant = new Set<string | symbol>(ownSymbols(value));
  const keys = Reflect.ownKeys(value).filter(
    (key) => typeof key === "string" || (meant.has(key) && key !== PYTHON_ORIGIN && key !== PYTHON_SCALARS),
  );
  const given =
    isInLangChain && !Array.isArray(value)
      ? keys.filter((key) => Reflect.get(value, key) !== undefined)
      : keys;
  const named = ArrayBuffer.isView(value)
    ? given.filter((key) => typeof key === "symbol" || !/^\d+$/.test(key))
    : given;
  return order === "of keys counts"
    ? named
    : named.sort((one, other) => (String(one) < String(other) ? -1 : 1));
}

function describe(value: unknown): string {
  return typeof value === "bigint"
    ? `${value}n`
    : Object.is(value, -0)
      ? "-0"
      : `${typeof value} ${String(value)}`;
}
