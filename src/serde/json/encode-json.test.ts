import { describe, expect, it } from "@jest/globals";

import { SerializationError } from "../../errors/index.js";
import { encodeJson } from "./encode-json.js";
import { MAX_JSON_DEPTH } from "./json-value.js";

class Account {
  readonly owner = "ann";
}
class MyError extends Error {}
class MyMap extends Map {}
class MyArray extends Array<number> {}

function cyclic(): unknown {
  const value: { list: unknown[] } = { list: [] };
  value.list.push(new Map([["back", value]]));
  return value;
}

function nested(levels: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = wrap(value);
  return value;
}

describe("encodeJson refuses a value that would not be read back equal", () => {
  it.each<[string, unknown]>([
    ["a function", () => 1],
    ["a class", Account],
    ["a symbol", Symbol("s")],
    ["an instance of a class of the application", new Account()],
    ["an error of a class of the application", new MyError("x")],
    ["a subclass of a collection", new MyMap()],
    ["a subclass of Array", new MyArray(1, 2)],
    ["a boxed primitive with a property", Object.assign(Object("text") as object, { extra: 1 })],
    ["a WeakMap", new WeakMap()],
    ["a promise", Promise.resolve(1)],
    ["shared memory", new SharedArrayBuffer(1)],
    ["a key that is a symbol", { [Symbol("s")]: 1 }],
    ["a Map with a property", Object.assign(new Map(), { extra: 1 })],
    ["a cycle", cyclic()],
    ["an object with a method toJSON", { toJSON: () => 1 }],
  ])("%s", (_, value) => {
    expect(() => encodeJson(value)).toThrow(SerializationError);
    expect(() => encodeJson({ value })).toThrow(SerializationError);
    expect(() => encodeJson(new Map([[value, 1]]))).toThrow(SerializationError);
  });
});

describe("the error names the path", () => {
  it.each<[unknown, string]>([
    [Symbol("s"), "state"],
    [{ a: { b: [0, Symbol("s")] } }, "state.a.b[1]"],
    [[{ "odd key": { 1: Symbol("s") } }], 'state[0]["odd key"]["1"]'],
    [new Map([["k", [Symbol("s")]]]), 'state.get("k")[0]'],
    [new Map([[[Symbol("s")], 1]]), "state.keys()[0][0]"],
    [new Set([1, { x: Symbol("s") }]), "state.values()[1].x"],
    [Object.assign(new Error("x"), { request: Symbol("s") }), "state.request"],
    [Object.fromEntries([["__proto__", [Symbol("s")]]]), "state.__proto__[0]"],
    [{ [Symbol("odd")]: 1 }, "state[Symbol(odd)]"],
    [cyclic(), 'state.list[0].get("back")'],
  ])("%#: %j at %s", (value, path) => {
    expect.assertions(2);
    try {
      encodeJson(value, { path: "state" });
    } catch (error) {
      expect(error).toBeInstanceOf(SerializationError);
      expect(error).toHaveProperty("path", path);
    }
  });

  it("also if the whole value has no name", () => {
    expect(() => encodeJson({ a: [() => 1] })).toThrow("at a[0]: a function can't be stored");
  });
});

function caught(run: () => unknown): unknown {
  try {
    run();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe("a deep value", () => {
  it("is written up to the maximum depth", () => {
    expect(() => JSON.stringify(encodeJson(nested(MAX_JSON_DEPTH, (inner) => [inner])))).not.toThrow();
    expect(() =>
      JSON.stringify(encodeJson(nested(MAX_JSON_DEPTH / 4, (inner) => new Map([[1, inner]])))),
    ).not.toThrow();
  });

  it.each<[string, (inner: unknown) => unknown]>([
    ["arrays", (inner) => [inner]],
    ["objects", (inner) => ({ inner })],
    ["sets", (inner) => new Set([inner])],
    ["errors", (inner) => new Error("x", { cause: inner })],
  ])("is refused beyond the maximum depth: %s", (_, wrap) => {
    expect(() => encodeJson(nested(MAX_JSON_DEPTH + 1, wrap))).toThrow(/nested deeper than 1000 levels/);
    expect(() => encodeJson(nested(100_000, wrap))).toThrow(SerializationError);
  });

  it("is refused if the caller has used up the stack", () => {
    const value = nested(900, (inner) => ({ inner }));
    let error: unknown;
    const descend = (): void => {
      try {
        descend();
      } catch {
        // At the very end of the stack even creating an error fails.
        if (!(error instanceof SerializationError)) error = caught(() => encodeJson(value));
        throw new Error("up");
      }
    };
    expect(descend).toThrow("up");
    expect(error).toBeInstanceOf(SerializationError);
  });
});

it("an object that occurs twice without a cycle is written twice", () => {
  const shared = { x: 1 };
  expect(encodeJson([shared, shared])).toEqual([{ x: 1 }, { x: 1 }]);
});

it("a getter is written as the value that it returns", () => {
  const value = {
    get x() {
      return 5;
    },
  };
  expect(encodeJson(value)).toEqual({ x: 5 });
});
