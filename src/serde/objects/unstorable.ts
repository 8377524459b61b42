import { types } from "node:util";
import { constructorNameOf, readProperty } from "./inspect-object.js";

/** The problem of a function or a symbol, and what to do about it. */
export function unstorablePrimitive(value: unknown): string {
  const advice =
    typeof value === "function"
      ? "leave it out of the state, or store a name by which the code finds it"
      : "store its description, a text";
  return `a ${typeof value} can't be stored: ${advice}`;
}

/** The problem of an object that no reader would restore, and what to do about it. */
export function unstorableObject(value: object): string {
  return `${describe(value)} can't be stored: ${adviceFor(value)}`;
}

function describe(value: object): string {
  if (types.isArgumentsObject(value)) return "the arguments of a function";
  if (Object.hasOwn(value, Symbol.toStringTag)) return Object.prototype.toString.call(value);
  return `an instance of ${constructorNameOf(value)}`;
}

function adviceFor(value: object): string {
  if (types.isPromise(value)) return "store what it resolves to";
  if (types.isNativeError(value))
    return "store an Error of a built-in class, such as Object.assign(new Error(message), { ...error })";
  if (Symbol.for("langchain.message") in value) return "store a message of a class of @langchain/core";
  if (types.isWeakMap(value) || types.isWeakSet(value)) return "store a Map or a Set";
  if (
    types.isMap(value) ||
    types.isSet(value) ||
    types.isDate(value) ||
    types.isRegExp(value) ||
    ArrayBuffer.isView(value)
  )
    return "store an instance of the built-in class";
  if (Symbol.iterator in value) return "store its elements, as in [...value]";
  if (typeof readProperty(value, "toJSON") === "function") return "store what its toJSON() returns";
  return "store a plain object, such as { ...value }, or pass the saver a serializer of your own";
}
