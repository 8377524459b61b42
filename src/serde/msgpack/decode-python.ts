import { malformed } from "./byte-reader.js";
import { LANGGRAPH_TYPES, type LangGraphSource } from "../langchain/langgraph-classes.js";
import { classOfPython } from "../langchain/classes.js";
import { reviveDocument, reviveMessage, reviveSubclass } from "../langchain/messages.js";
import {
  mayKeepOrigin,
  pythonScalarsOf,
  rememberOrigin,
  rememberScalars,
  type PythonOrigin,
  type Spellings,
} from "../python/python-origin.js";
import { decodeTextDict } from "./python-dict.js";
import { decodeCommand, decodeOverwrite, decodeSend, withoutMarkOfCall } from "./msgpack-langgraph.js";
import { EXT } from "./ext-codes.js";
import { defineOwn, isArray, isObject, isRecord } from "../objects/inspect-object.js";
import { isArrayIndex, isBoxable } from "../objects/built-ins.js";
import { fromPythonDatetime, toPythonDatetime, fromPythonPattern, toPythonPattern } from "./python-types.js";
import { encode } from "./msgpack-encoder.js";

/**
 * Decodes an extension that names a Python class. The name only selects one of the cases below. For any other class it returns
 * the data that the object was created from, which keeps the name of the class.
 */
export function decodePython(code: number, payload: unknown, source: LangGraphSource): unknown {
  const [module, name, argument, method, base] = isArray(payload) ? payload : [];
  if (typeof module !== "string" || typeof name !== "string") throw malformed("a Python object is malformed");
  const origin = { code, module, name, method: typeof method === "string" ? method : undefined };
  if (isArray(method) && module === "builtins") return decodeExtended(name, argument, method);
  if (code >= EXT.PYDANTIC_V1) return decodeModel(argument, origin, base);
  if (module === LANGGRAPH_TYPES)
    return decodeLangGraph(isArray(method) ? withoutMarkOfCall(argument) : argument, origin, source);
  return decodePythonType(argument, origin) ?? asData(argument, origin);
}

/** Decodes what a built-in class of Python ignores behind its argument. */
function decodeExtended(name: string, argument: unknown, more: readonly unknown[]): unknown {
  const float = typeof more[0] === "bigint" ? more[0] : undefined;
  const value =
    name === "list"
      ? decodeNamedList(argument, more)
      : name === "float"
        ? float
        : decodeTextDict(argument, more);
  if (value === undefined) throw malformed(`a ${name} is malformed`);
  return value;
}

function decodeModel(fields: unknown, origin: PythonOrigin, base: unknown): unknown {
  if (!isRecord(fields)) return asData(fields, origin);
  const name = classOfPython(origin.module, origin.name);
  if (name === "Document") return reviveDocument(fields);
  const message = name === undefined ? reviveSubclass(fields, origin, base) : reviveMessage(name, fields);
  return message === undefined ? asData(fields, origin) : rememberScalars(message, pythonScalarsOf(fields));
}

function decodeLangGraph(argument: unknown, origin: PythonOrigin, source: LangGraphSource): unknown {
  switch (origin.name) {
    case "Send":
      return decodeSend(argument, source);
    case "Command":
      return decodeCommand(argument, source);
    case "Overwrite":
      return decodeOverwrite(argument, source);
    default:
      return asData(argument, origin);
  }
}

/** The argument itself, which keeps the origin. An argument that already keeps another origin is wrapped in an object. */
function asData(argument: unknown, origin: PythonOrigin): unknown {
  if (!isObject(argument)) return argument;
  if (mayKeepOrigin(argument)) return rememberOrigin(argument, origin);
  return rememberOrigin({ value: argument }, { ...origin, fields: ["value"] });
}

/** Decodes an array that has properties. Returns `undefined` where a name is none. */
function decodeNamedList(argument: unknown, properties: readonly unknown[]): unknown[] | undefined {
  if (!isArray(argument) || properties.length % 2 !== 0) return undefined;
  const list = [...argument];
  for (let at = 0; at < properties.length; at += 2) {
    const name = properties[at];
    if (typeof name !== "string" || Object.hasOwn(list, name) || isArrayIndex(name)) return undefined;
    defineOwn(list, name, properties[at + 1]);
  }
  return list;
}

type TypeDecoder = (argument: unknown, origin: PythonOrigin) => unknown;

const POSIX_PATH: TypeDecoder = (argument) => toPath(argument, "/");

const WINDOWS_PATH: TypeDecoder = (argument) => toPath(argument, "\\");

/** The decoders of classes of Python's standard library, by module and name. */
const TYPE_DECODERS: ReadonlyMap<string, TypeDecoder> = new Map<string, TypeDecoder>([
  ["builtins.set", toSet],
  ["builtins.frozenset", toSet],
  [
    "builtins.bytes",
    (argument) => (argument instanceof Uint8Array ? Buffer.from(argument.buffer) : undefined),
  ],
  ["builtins.str", toBoxed],
  ["builtins.float", toBoxed],
  ["builtins.bool", toBoxed],
  ["builtins.dict", toBareObject],
  ["uuid.UUID", toUuidText],
  ["datetime.datetime", toDate],
  ["datetime.date", named(["year", "month", "day"])],
  ["datetime.timedelta", named(["days", "seconds", "microseconds"])],
  ["datetime.timezone", named(["offset", "name"])],
  ["re.compile", toRegExp],
  ["pathlib.Path", POSIX_PATH],
  ["pathlib.PosixPath", POSIX_PATH],
  ["pathlib.WindowsPath", WINDOWS_PATH],
  ["pathlib._local.Path", POSIX_PATH],
  ["pathlib._local.PosixPath", POSIX_PATH],
  ["pathlib._local.WindowsPath", WINDOWS_PATH],
]);

/** Decodes an instance of a class of Python's standard library, or returns `undefined` if JavaScript has nothing like it. */
function decodePythonType(argument: unknown, origin: PythonOrigin): unknown {
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

function toPath(argument: unknown, separator: string): string | undefined {
  if (!isArray(argument) || !argument.every((part) => typeof part === "string")) return undefined;
  const [root = "", ...rest] = argument;
  return root.endsWith(separator) ? root + rest.join(separator) : argument.join(separator);
}
