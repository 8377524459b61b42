import { describe, expect, test } from "@jest/globals";
import { peakGrowth } from "../test-support/peak-growth.js";
import { JsonSerializer } from "../json/json-serializer.js";
import { MsgpackSerializer } from "../msgpack/msgpack-serializer.js";
import { isArrayIndex, sparseArray } from "./built-ins.js";

/** For a longer array V8 reserves no memory for holes. */
const LENGTH = 31_000_000;
const MB = 1e6;

test.each([0, 1, 10, LENGTH, 2 ** 32 - 1])("a sparse array of length %i has only holes", (length) => {
  const array = sparseArray(length);
  expect(array).toHaveLength(length);
  expect(Object.keys(array)).toEqual([]);
  expect(Array.isArray(array)).toBe(true);
});

test.each([
  ["0", true],
  ["17", true],
  ["4294967294", true],
  ["4294967295", false],
  ["4294967296", false],
  ["01", false],
  ["-1", false],
  ["1.5", false],
  ["", false],
  ["length", false],
])("the key %j is an index: %j", (key, isIndex) => {
  expect(isArrayIndex(key)).toBe(isIndex);
});

describe.each([new MsgpackSerializer(), new JsonSerializer()])("$constructor.name", (serializer) => {
  test("reads holes of many arrays without memory for each of them", async () => {
    const arrays = Array.from({ length: 5 }, () => Object.assign(sparseArray(LENGTH), { 3: "third" }));
    const [type, data] = await serializer.dumpsTyped(arrays);
    expect(data.length).toBeLessThan(1_000);
    const { value, bytes } = await peakGrowth(() => serializer.loadsTyped(type, data));
    expect(bytes).toBeLessThan(50 * MB);
    // A matcher would visit every hole.
    const read = value as unknown[][];
    expect(read.map((array) => [array.length, Object.entries(array)])).toEqual(
      arrays.map(() => [LENGTH, [["3", "third"]]]),
    );
  });
});
