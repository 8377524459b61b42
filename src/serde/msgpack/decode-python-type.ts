import {
  pythonScalarsOf,
  rememberOrigin,
  type PythonOrigin,
  type Spellings,
} from "../python/python-origin.js";
import { fromPythonDatetime, toPythonDatetime } from "./date-text.js";
import { encode } from "./msgpack-encoder.js";
import { fromPythonPattern, toPythonPattern } from "./python-regexp.js";
import { isBoxable } from "../objects/boxed.js";
import { isArray, isObject, isRecord } from "../objects/type-guards.js";

type TypeDecoder = (argument: unknown, origin: PythonOrigin) => unknown;

/** The decoders of classes of Python's standard library, by module and name. */
const TYPE_DECODERS: ReadonlyMap<string, TypeDecoder> = new Map<string, TypeDecoder>([
  ["builtins.set", (argument, origin) => toSet(argument, origin)],
  ["builtins.frozenset", (argument, origin) => toSet(argument, origin)],
  [
    "builtins.bytes",
    (argument) => (argument instanceof Uint8Array ? Buffer.from(argument.buffer) : undefined),
  ],
  ["builtins.str", toBoxed],
  ["builtins.float", toBoxed],
  ["builtins.bool", toBoxed],
  ["builtins.dict", (argument) => toBareObject(argument)],
  ["uuid.UUID", (argument) => toUuidText(argument)],
  ["datetime.datetime", (argument, origin) => toDate(argument, origin)],
  ["datetime.date", named(["year", "month", "day"])],
  ["datetime.timedelta", named(["days", "seconds", "microseconds"])],
  ["datetime.timezone", named(["offset", "name"])],
  ["re.compile", (argument, origin) => toRegExp(argument, origin)],
  ["pathlib.Path", (argument) => toPath(argument)],
  ["pathlib.PosixPath", (argument) => toPath(argument)],
  ["pathlib.WindowsPath", (argument) => toPath(argument, "\\")],
  ["pathlib._local.Path", (argument) => toPath(argument)],
  ["pathlib._local.PosixPath", (argument) => toPath(argument)],
  ["pathlib._local.WindowsPath", (argument) => toPath(argument, "\\")],
]);

/** Decodes an instance of a class of Python's standard library, or returns `undefined` if JavaScript has nothing like it. */
export function decodePythonType(argument: unknown, origin: PythonOrigin): unknown {
  return TYPE_DECODERS.get(`${origin.module}.${origin.name}`)?.(argument, origin);
}

/** Creates a Set, which keeps its origin if writing its members would not restore the same bytes. */
function toSet(argument: unknown, origin: PythonOrigin): Set<unknown> | undefined {
  if (!isArray(argument)) return undefined;
  const set = new Set<unknown>(argument);
  const spellings = spellingsOf(argument, set.size);
  if (origin.name === "set" && spellings === undefined) return set;
  return rememberOrigin(set, { ...origin, spellings });
}

/** The bytes of the members that JavaScript reads as primitives, or `undefined` if it writes all of them alike. */
function spellingsOf(members: readonly unknown[], size: number): Spellings | undefined {
  const scalars = pythonScalarsOf(members);
  if (scalars === undefined && size === members.length) return undefined;
  const spellings = new Map<unknown, Uint8Array[]>();
  for (const [index, member] of members.entries()) {
    if (isObject(member)) continue;
    const bytes = scalars?.get(String(index))?.bytes ?? encode(member);
    const known = spellings.get(member);
    if (known === undefined) spellings.set(member, [bytes]);
    else known.push(bytes);
  }
  return spellings;
}

/** Decodes a boxed value. */
function toBoxed(argument: unknown): object | undefined {
  return isBoxable(argument) ? (Object(argument) as object) : undefined;
}

/** Decodes an object without a prototype. */
function toBareObject(argument: unknown): object | undefined {
  return isRecord(argument) ? (Object.setPrototypeOf(argument, null) as object) : undefined;
}

function toUuidText(argument: unknown): string | undefined {
  if (typeof argument !== "string" || !/^[0-9a-f]{32}$/.test(argument)) return undefined;
  return argument.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Creates a Date, which keeps its text if it would be written as another text. */
function toDate(argument: unknown, origin: PythonOrigin): Date | undefined {
  if (typeof argument !== "string" || origin.method !== "fromisoformat") return undefined;
  const date = fromPythonDatetime(argument);
  if (date === undefined || toPythonDatetime(date) === argument) return date;
  return rememberOrigin(date, { ...origin, written: { argument, value: date.getTime() } });
}

function toRegExp(argument: unknown, origin: PythonOrigin): RegExp | undefined {
  if (!isArray(argument)) return undefined;
  const [pattern, flags] = argument;
  if (typeof pattern !== "string" || typeof flags !== "number") return undefined;
  const regexp = fromPythonPattern([pattern, flags]);
  if (regexp === undefined) return undefined;
  const fresh = toPythonPattern(regexp);
  if (fresh?.[0] === pattern && fresh[1] === flags) return regexp;
  return rememberOrigin(regexp, { ...origin, written: { argument, value: String(regexp) } });
}

/** Decodes positional arguments to an object with the given names. */
function named(fields: readonly string[]): TypeDecoder {
  return (argument, origin) => {
    if (!isArray(argument) || argument.length > fields.length) return undefined;
    const entries = argument.map((value, index) => [fields[index] ?? "", value] as const);
    return rememberOrigin(Object.fromEntries(entries), { ...origin, fields });
  };
}

function toPath(argument: unknown, separator = "/"): string | undefined {
  if (!isArray(argument) || !argument.every((part) => typeof part === "string")) return undefined;
  const [root = "", ...rest] = argument;
  return root.endsWith(separator) ? root + rest.join(separator) : argument.join(separator);
}
