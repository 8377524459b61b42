import { runInNewContext } from "node:vm";
import { describe, expect, test } from "@jest/globals";
import * as moduleNamespace from "../json/json-value.js";
import { isPlainObject } from "./inspect-object.js";
import { argumentsObject } from "../test-support/values.js";

class Custom {
  readonly a = 1;
}

const argumentsWithoutIterator = argumentsObject(1);
Reflect.deleteProperty(argumentsWithoutIterator, Symbol.iterator);

describe("isPlainObject", () => {
  test.each<[string, object]>([
    ["a literal", { a: 1 }],
    ["an empty literal", {}],
    ["an object without a prototype", Object.create(null) as object],
    ["a literal of another realm", runInNewContext("({ a: 1 })") as object],
    ["a Proxy around a literal", new Proxy({ a: 1 }, {})],
  ])("accepts %s", (_name, value) => {
    expect(isPlainObject(value)).toBe(true);
  });

  test.each<[string, object]>([
    ...Object.entries({ Math, JSON, Reflect, Atomics, Intl }),
    ["Math of another realm", runInNewContext("Math") as object],
    ["Math with an added property", runInNewContext("Object.assign(Math, { a: 1 })") as object],
    ["a module namespace", moduleNamespace],
    ["an arguments object", argumentsObject(1)],
    [
      "an arguments object of another realm",
      runInNewContext("(function () { return arguments; })()") as object,
    ],
    ["an arguments object without an iterator", argumentsWithoutIterator],
    ["an array", []],
    ["a Map", new Map()],
    ["a Date", new Date()],
    ["an instance of a class", new Custom()],
    ["an object that inherits from a literal", Object.create({ a: 1 }) as object],
  ])("refuses %s", (_name, value) => {
    expect(isPlainObject(value)).toBe(false);
  });
});
