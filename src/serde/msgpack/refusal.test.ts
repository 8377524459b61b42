import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { runs } from "../../../test-support/runs.js";
import { SerializationError } from "../../errors/index.js";
import { encode } from "./msgpack-encoder.js";
import { decode } from "./msgpack-decoder.js";
import { formatPath, type PathSegment } from "../objects/value-path.js";

function refusalOf(value: unknown): SerializationError {
  try {
    encode(value);
  } catch (error) {
    if (error instanceof SerializationError) return error;
    throw error;
  }
  throw new Error("the value was written");
}

class Custom {
  readonly x = 1;
}
class Bag {
  *[Symbol.iterator]() {
    yield 1;
  }
}
class CustomError extends Error {}
class CustomMap extends Map {}
class CustomDate extends Date {}
class CustomArray extends Array {}

describe("encode refuses a value that would not be read back equal", () => {
  test.each<[string, unknown]>([
    ["a function", () => 1],
    ["a class", Custom],
    ["a symbol", Symbol("s")],
    ["an instance of an unknown class", new Custom()],
    ["an Error of an unknown class", new CustomError("x")],
    ["a subclass of Map", new CustomMap()],
    ["a subclass of Date", new CustomDate()],
    ["a subclass of Array", new CustomArray()],
    ["a subclass of Uint8Array", new (class extends Uint8Array {})(2)],
    ["a boxed bigint", Object(1n)],
    ["a boxed string with a property", Object.assign(Object("x") as object, { x: 1 })],
    ["a WeakMap", new WeakMap()],
    ["a promise", Promise.resolve(1)],
    ["an iterator", [1].values()],
    ["shared memory", new SharedArrayBuffer(1)],
    ["a property named by a symbol", { [Symbol("s")]: 1 }],
    ["an array with a hole and a property", Object.assign(new Array(1), { x: 1 })],
    ["a Map with a property", Object.assign(new Map(), { x: 1 })],
    ["a Date with a property", Object.assign(new Date(0), { x: 1 })],
    [
      "an object with a throwing getter",
      Object.defineProperty({}, "x", {
        enumerable: true,
        get: () => {
          throw new Error("no");
        },
      }),
    ],
  ])("%s", (_name, value) => {
    expect(refusalOf(value).path).toMatch(/^x?$/);
    expect(refusalOf({ messages: [value] }).path).toMatch(/^messages\[0\](\.x)?$/);
  });

  test.each<[unknown, string]>([
    [
      new Custom(),
      "an instance of Custom can't be stored: store a plain object, such as { ...value }, or pass the saver a serializer of your own",
    ],
    [
      new CustomError("x"),
      "an instance of CustomError can't be stored: store an Error of a built-in class, such as Object.assign(new Error(message), { ...error })",
    ],
    [new CustomMap(), "an instance of CustomMap can't be stored: store an instance of the built-in class"],
    [new Bag(), "an instance of Bag can't be stored: store its elements, as in [...value]"],
    [Promise.resolve(1), "an instance of Promise can't be stored: store what it resolves to"],
    [
      () => 1,
      "a function can't be stored: leave it out of the state, or store a name by which the code finds it",
    ],
  ])("with an error that says what it is, and what to do: %s", (value, problem) => {
    expect(refusalOf({ state: value }).message).toBe(`at state: ${problem}`);
  });

  test("with an error that names the path of the refused part, wherever it is", () => {
    const refused = Symbol("refused");
    const step = fc.oneof(
      fc.constantFrom<[PathSegment, (part: unknown) => unknown]>(
        ["a", (part) => ({ before: [1], a: part })],
        ["odd key", (part) => ({ "odd key": part })],
        [2, (part) => [new Map(), { x: 1 }, part]],
        [1, (part) => Object.assign([], { 1: part }) as unknown],
        [{ step: '.get("k")' }, (part) => new Map([["k", part]])],
        [
          { step: ".keys()[1]" },
          (part) =>
            new Map([
              ["k", 1],
              [part, 1],
            ] as [unknown, unknown][]),
        ],
        [{ step: ".values()[1]" }, (part) => new Set([1, part])],
        ["cause", (part) => new TypeError("x", { cause: part })],
      ),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
        const value = steps.reduceRight<unknown>((part, [, wrap]) => wrap(part), refused);
        expect(refusalOf(value).path).toBe(formatPath(steps.map(([segment]) => segment)));
      }),
      runs(100),
    );
  });

  test("a value that contains itself, with the path of the reference to itself", () => {
    const value = { messages: [{ kwargs: { parent: {} } }] };
    Object.assign(value.messages[0]?.kwargs ?? {}, { parent: value });
    expect(refusalOf(value).message).toBe(
      "at messages[0].kwargs.parent: the value contains itself: store an id instead of the reference",
    );
    const map = new Map<string, unknown>();
    map.set("self", [map]);
    expect(refusalOf(map).path).toBe('get("self")[0]');
  });

  test("but accepts a value that occurs twice", () => {
    const shared = { x: [1] };
    expect(() => encode([shared, { shared }, shared.x])).not.toThrow();
  });

  test.each<[string, number, (part: unknown) => unknown]>([
    ["arrays", 1_000, (part) => [part]],
    ["objects", 1_000, (part) => ({ a: part })],
    // An extension counts as four.
    ["Sets", 250, (part) => new Set([part])],
  ])("a value of %s that is nested deeper than 1,000 levels, but none of as many", (_kind, most, nest) => {
    const nested = (depth: number): unknown => {
      let value: unknown = 1;
      for (let level = 0; level < depth; level += 1) value = nest(value);
      return value;
    };
    let read = decode(encode(nested(most)));
    for (let level = 0; level < most; level += 1) {
      expect(typeof read).toBe("object");
      read = (read instanceof Set ? [...read] : Object.values(read as object))[0];
    }
    expect(read).toBe(1);
    for (const depth of [most + 1, 100_000])
      expect(refusalOf(nested(depth)).message).toContain("nested deeper than 1000");
  });
});
