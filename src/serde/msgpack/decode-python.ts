import { LANGGRAPH_TYPES } from "../langchain/langgraph-literals.js";
import { classOfPython } from "../langchain/python-modules.js";
import { reviveDocument, reviveMessage } from "../langchain/revive-message.js";
import { reviveSubclass } from "../langchain/revive-subclass.js";
import {
  mayKeepOrigin,
  pythonScalarsOf,
  rememberOrigin,
  rememberScalars,
  type PythonOrigin,
} from "../python/python-origin.js";
import type { DecodeContext } from "./decode-context.js";
import { decodeTextDict } from "./decode-dict.js";
import { decodeCommand, decodeOverwrite, decodeSend } from "./decode-langgraph.js";
import { decodePythonType } from "./decode-python-type.js";
import { EXT } from "./ext-codes.js";
import { withoutMarkOfCall } from "./tool-call-sends.js";
import { defineOwn } from "../objects/inspect-object.js";
import { isArrayIndex } from "../objects/sparse-array.js";
import { isArray, isObject, isRecord } from "../objects/type-guards.js";

/**
 * Decodes an extension that names a Python class. The name only selects one of the cases below. For any other class it returns
 * the data that the object was created from, which keeps the name of the class.
 */
export function decodePython(code: number, payload: unknown, context: DecodeContext): unknown {
  if (!isArray(payload)) return context.fail("a Python object is malformed");
  const [module, name, argument, method, base] = payload;
  if (typeof module !== "string" || typeof name !== "string")
    return context.fail("a Python object is malformed");
  const origin = { code, module, name, method: typeof method === "string" ? method : undefined };
  if (isArray(method) && module === "builtins")
    return decodeExtended(name, argument, method) ?? context.fail(`a ${name} is malformed`);
  if (code >= EXT.PYDANTIC_V1) return decodeModel(argument, origin, base);
  if (module === LANGGRAPH_TYPES)
    return decodeLangGraph(isArray(method) ? withoutMarkOfCall(argument) : argument, origin, context);
  return decodePythonType(argument, origin) ?? asData(argument, origin);
}

/** Decodes what a built-in class of Python ignores behind its argument. */
function decodeExtended(name: string, argument: unknown, more: readonly unknown[]): unknown {
  switch (name) {
    case "list":
      return decodeNamedList(argument, more);
    case "float":
      return typeof more[0] === "bigint" ? more[0] : undefined;
    default:
      return decodeTextDict(argument, more);
  }
}

function decodeModel(fields: unknown, origin: PythonOrigin, base: unknown): unknown {
  if (!isRecord(fields)) return asData(fields, origin);
  const name = classOfPython(origin.module, origin.name);
  if (name === "Document") return reviveDocument(fields);
  const message = name === undefined ? reviveSubclass(fields, origin, base) : reviveMessage(name, fields);
  return message === undefined ? asData(fields, origin) : rememberScalars(message, pythonScalarsOf(fields));
}

function decodeLangGraph(argument: unknown, origin: PythonOrigin, context: DecodeContext): unknown {
  switch (origin.name) {
    case "Send":
      return decodeSend(argument, context);
    case "Command":
      return decodeCommand(argument, context);
    case "Overwrite":
      return decodeOverwrite(argument, context);
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
