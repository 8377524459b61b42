import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { runs } from "../../../test-support/runs.js";
import { SerializationError } from "../../errors/index.js";
import { encode } from "./encoder.js";
import { MAX_DEPTH } from "./max-depth.js";
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
    ["a boxed number", Object(1)],
    ["a boxed string", Object("x")],
    ["a WeakMap", new WeakMap()],
    ["a promise", Promise.resolve(1)],
    ["an iterator", [1].values()],
    ["shared memory", new SharedArrayBuffer(1)],
    ["a property named by a symbol", { [Symbol("s")]: 1 }],
    ["an array with a property", Object.assign([1], { x: 1 })],
    ["a match of a RegExp", /a/.exec("a")],
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

  test("with an error that names the class", () => {
    expect(refusalOf({ state: new Custom() }).message).toBe(
      "at state: an instance of Custom can't be stored",
    );
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
    expect(refusalOf(value).message).toBe("at messages[0].kwargs.parent: the value contains itself");
    const map = new Map<string, unknown>();
    map.set("self", [map]);
    expect(refusalOf(map).path).toBe('get("self")[0]');
  });

  test("but accepts a value that occurs twice", () => {
    const shared = { x: [1] };
    expect(() => encode([shared, { shared }, shared.x])).not.toThrow();
  });

  test.each([MAX_DEPTH + 1, 100_000])("a value nested %i deep", (depth) => {
    const nestings: ((part: unknown) => unknown)[] = [
      (part) => [part],
      (part) => ({ a: part }),
      (part) => new Set([part]),
    ];
    for (const nest of nestings) {
      let value: unknown = 1;
      for (let level = 0; level < depth; level += 1) value = nest(value);
      expect(refusalOf(value).message).toContain(`nested deeper than ${MAX_DEPTH}`);
    }
  });
});
