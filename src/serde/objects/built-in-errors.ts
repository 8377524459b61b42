import { classNameOf, prototypeDepth } from "./inspect-object.js";

/** Makes an Error of one built-in class. */
export type ErrorFactory = (message?: string) => Error;

const FACTORIES: ReadonlyMap<string, ErrorFactory> = new Map<string, ErrorFactory>([
  ["AggregateError", (message) => new AggregateError([], message)],
  ["Error", (message) => new Error(message)],
  ["EvalError", (message) => new EvalError(message)],
  ["RangeError", (message) => new RangeError(message)],
  ["ReferenceError", (message) => new ReferenceError(message)],
  ["SyntaxError", (message) => new SyntaxError(message)],
  ["TypeError", (message) => new TypeError(message)],
  ["URIError", (message) => new URIError(message)],
]);

/** The factory of the built-in error class of that name, if there is one. */
export function errorFactoryOf(className: unknown): ErrorFactory | undefined {
  return typeof className === "string" ? FACTORIES.get(className) : undefined;
}

/** The name of the built-in class that an Error is a direct instance of, or `undefined` for a class of an application. */
export function builtInErrorName(error: Error): string | undefined {
  const name = classNameOf(error);
  return FACTORIES.has(name) && prototypeDepth(error) === (name === "Error" ? 2 : 3) ? name : undefined;
}
