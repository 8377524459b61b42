import { describe, expect, test } from "@jest/globals";
import { SerializationError } from "../../errors/index.js";
import { firstDifference } from "../test-support/first-difference.js";
import { decode } from "../msgpack/msgpack-decoder.js";
import { encode } from "../msgpack/msgpack-encoder.js";
import { extension, float64, pack, type Wire } from "../msgpack/wire.js";

const ID = "00000000-0000-0000-0000-000000000007";
const uuid = single("uuid", "UUID", "00000000000000000000000000000007");

function single(module: string, name: string, argument: unknown): Wire {
  return extension(0, pack([module, name, argument]));
}

function hex(value: unknown): string {
  return Buffer.from(pack(value)).toString("hex");
}

function asMap(value: unknown): Map<unknown, unknown> {
  if (!(value instanceof Map)) throw new TypeError("not a Map");
  return value;
}

function asSet(value: unknown): Set<unknown> {
  if (!(value instanceof Set)) throw new TypeError("not a Set");
  return value;
}

function expectWritten(value: unknown, expected: unknown): void {
  expect(Buffer.from(encode(value)).toString("hex")).toBe(hex(expected));
}

describe("a dict with keys that are not strings", () => {
  const read = (): Map<unknown, unknown> =>
    asMap(
      decode(
        pack(
          new Map<unknown, unknown>([
            ["name", uuid],
            [1, uuid],
            [float64(2), float64(3)],
            [[float64(4), "a"], "text"],
          ]),
        ),
      ),
    );

  test("is read as a Map of JavaScript values, and written again in the same bytes", () => {
    const map = read();
    expect([...map]).toEqual([
      ["name", ID],
      [1, ID],
      [2, 3],
      [[4, "a"], "text"],
    ]);
    expect(Buffer.from(encode(map))).toEqual(Buffer.from(encode(read())));
    expect(hex(new Map([[1, uuid]]))).toBe(
      Buffer.from(encode(decode(pack(new Map([[1, uuid]]))))).toString("hex"),
    );
  });

  test("keeps the bytes of unchanged entries, and writes changed and added entries as JavaScript values", () => {
    const map = read();
    map
      .set("name", "Ann")
      .set(2, 5)
      .set("more", 6)
      .delete([...map.keys()][3]);
    expectWritten(
      map,
      new Map<unknown, unknown>([
        ["name", "Ann"],
        [1, uuid],
        [float64(2), 5],
        ["more", 6],
      ]),
    );
  });

  test("stays a Map in the same order after the last key that is not a string was deleted", () => {
    const map = asMap(
      decode(
        pack(
          new Map<unknown, unknown>([
            [1, "one"],
            ["b", uuid],
            ["2", 2],
            ["1", 1],
          ]),
        ),
      ),
    );
    map.delete(1);
    const again = asMap(decode(encode(map)));
    expect(firstDifference(again, map)).toBeUndefined();
    again.set(1, "one").delete("2");
    expectWritten(
      again,
      new Map<unknown, unknown>([
        ["b", uuid],
        ["1", 1],
        [1, "one"],
      ]),
    );
    again.clear();
    expect(firstDifference(decode(encode(again)), new Map())).toBeUndefined();
  });

  test.each<[string, unknown]>([
    ["a BigInt that a number can hold", 5n],
    ["a BigInt beyond 64 bits", 2n ** 64n],
    ["a Date", new Date(0)],
    ["an object", {}],
    ["undefined", undefined],
    ["a text with a lone surrogate", "\ud800"],
    ["a Buffer", Buffer.from("a")],
    ["an array with an object in it", [1, {}]],
    ["an array with a hole", Array(1)],
    ["a key that equals another key in Python", true],
    ["bytes that are a key already", Uint8Array.of(1)],
  ])("is refused with %s as a key, since Python could not read the checkpoint", (_, key) => {
    const map = read().set(Uint8Array.of(1), 1).set(key, 1);
    let error: unknown;
    try {
      encode({ prices: map });
    } catch (reason) {
      error = reason;
    }
    expect(error).toBeInstanceOf(SerializationError);
    expect(error).toMatchObject({ path: "prices", problem: expect.stringContaining("a dict in Python") });
    expect(firstDifference(decode(encode(new Map(map))), new Map(map))).toBeUndefined();
  });
});

describe("a set", () => {
  const read = (kind: string): Set<unknown> =>
    asSet(decode(pack(single("builtins", kind, [uuid, ID, float64(2), float64(-0), 7, [uuid]]))));

  test.each(["set", "frozenset"])(
    "is read as JavaScript values, and written again in the same bytes: %s",
    (kind) => {
      expect([...read(kind)]).toEqual([ID, 2, 0, 7, [ID]]);
      expectWritten(read(kind), single("builtins", kind, [uuid, ID, float64(2), float64(-0), 7, [uuid]]));
    },
  );

  test("keeps the bytes of unchanged members, and writes added members as JavaScript values", () => {
    const set = read("set").add("more").add(3);
    set.delete(ID);
    set.delete(2);
    expectWritten(set, single("builtins", "set", [float64(-0), 7, [uuid], "more", 3]));
    expectWritten(new Set(set), single("builtins", "set", [0, 7, [uuid], "more", 3]));
  });
});

test("more arguments than have names here are written again", () => {
  const milliseconds = extension(1, pack(["datetime", "timedelta", [1, 2, 3, 4]]));
  expectWritten(decode(pack(milliseconds)), milliseconds);
});

test("a deque with a property is refused: Python would read a list", () => {
  const read = decode(pack(single("collections", "deque", [1, 2])));
  expect(() => encode({ recent: Object.assign(read as unknown[], { total: 3 }) })).toThrow(
    'at recent: an array with the property "total" can\'t be stored',
  );
});

test("an object with a key that UTF-8 can't hold is read back equal, and is not written as a map that Python can't read", () => {
  const value = { a: { "\ud800": [1, { b: 2 }], 1: "x", __proto: undefined }, "b\udc00": new Date(0) };
  const bytes = encode(value);
  expect(firstDifference(decode(bytes), value)).toBeUndefined();
  expect(Buffer.from(bytes.subarray(0, 1)).toString("hex")).toMatch(/^(c7|c8|d[4-8])$/);
});

describe("an integer beyond 64 bits", () => {
  test.each([
    [2n ** 64n, 2 ** 64],
    [-(2n ** 63n) - 2048n, -(2 ** 63) - 2048],
    // No double is 10 ** 23. JSONB prints 1e23 so, and an integer too.
    [10n ** 23n, 1e23],
    [-(15n * 10n ** 299n), -1.5e300],
    [2n ** 1023n, 2 ** 1023],
  ])("that may have been a float is that float in Python, and stays a BigInt here: %p", (value, float) => {
    const bytes = encode([value]);
    const exact = extension(0x12, Buffer.from(value.toString(16)));
    expect(Buffer.from(bytes).toString("hex")).toBe(
      hex([extension(0, pack(["builtins", "float", float64(float), [exact]]))]),
    );
    expect(decode(bytes)).toEqual([value]);
  });

  test.each([2n ** 64n + 1n, 10n ** 23n + 1n, -(2n ** 63n) - 1n, 2n ** 1024n, 10n ** 400n])(
    "that was no float is an extension that Python does not know: %p",
    (value) => {
      expectWritten(value, extension(0x12, Buffer.from(value.toString(16))));
      expect(decode(encode(value))).toBe(value);
    },
  );

  test("is refused where the call of float does not end with it", () => {
    const call = (...more: unknown[]) => pack(extension(0, pack(["builtins", "float", float64(1e23), more])));
    for (const more of [[], [1], ["1"]]) expect(() => decode(call(...more))).toThrow("a float is malformed");
  });
});
