import { expect, it } from "@jest/globals";
import { unstorableObject, unstorablePrimitive } from "./unstorable.js";

it.each<[value: unknown, problem: string]>([
  [
    () => 1,
    "a function can't be stored: leave it out of the state, or store a name by which the code finds it",
  ],
  [Symbol("a"), "a symbol can't be stored: store its description, a text"],
])("of %p is said what it is and what to store instead", (value, problem) => {
  expect(unstorablePrimitive(value)).toBe(problem);
});

class Own {
  readonly a = 1;
}
class OwnMap extends Map {}
class OwnError extends Error {}
const serializable = Object.assign(new Own(), { toJSON: () => ({}) });
const iterable = Object.assign(new Own(), { [Symbol.iterator]: () => [].values() });
const BUILT_IN = "store an instance of the built-in class";

it.each<[what: string, value: object, problem: string]>([
  [
    "a class",
    new Own(),
    "an instance of Own can't be stored: store a plain object, such as { ...value }, or pass the saver a serializer of your own",
  ],
  ["a Promise", Promise.resolve(1), "an instance of Promise can't be stored: store what it resolves to"],
  [
    "an Error of a class",
    new OwnError("x"),
    "an instance of OwnError can't be stored: store an Error of a built-in class, such as Object.assign(new Error(message), { ...error })",
  ],
  ["a WeakMap", new WeakMap(), "an instance of WeakMap can't be stored: store a Map or a Set"],
  ["a WeakSet", new WeakSet(), "an instance of WeakSet can't be stored: store a Map or a Set"],
  ["a Map of a class", new OwnMap(), `an instance of OwnMap can't be stored: ${BUILT_IN}`],
  ["what has elements", iterable, "an instance of Own can't be stored: store its elements, as in [...value]"],
  [
    "what has a toJSON()",
    serializable,
    "an instance of Own can't be stored: store what its toJSON() returns",
  ],
  [
    "what has a tag",
    { [Symbol.toStringTag]: "Tagged" },
    "[object Tagged] can't be stored: store a plain object, such as { ...value }, or pass the saver a serializer of your own",
  ],
])("of %s is said what it is and what to store instead", (_, value, problem) => {
  expect(unstorableObject(value)).toBe(problem);
});
