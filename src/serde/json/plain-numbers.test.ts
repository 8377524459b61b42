import { expect, it } from "@jest/globals";
import fc from "fast-check";
import { runs } from "../../../test-support/runs.js";
import { parseJsonText, jsonTextOf } from "./json-text.js";
import { encodeJsonb, withPlainNumbers } from "./jsonb.js";

function written(value: unknown): string {
  return withPlainNumbers(jsonTextOf(encodeJsonb(value, "state")));
}

function withoutExponent(
  _all: string,
  whole: string,
  fraction: string | undefined,
  exponent: string,
): string {
  return whole + (fraction ?? "").padEnd(Number(exponent), "0");
}

it("writes integers of 64 bits and large doubles as numbers", () => {
  const value = [2n ** 63n - 1n, -(2n ** 63n), 2n ** 64n - 1n, 2n ** 53n + 1n, 1e21, Number.MAX_VALUE];
  expect(written(value)).toBe(
    "[9223372036854775807,-9223372036854775808,18446744073709551615,9007199254740993,1e+21,1.7976931348623157e+308]",
  );
});

it("keeps the records that a reader needs to tell kinds of numbers apart, and texts that look like one", () => {
  const record = jsonTextOf(encodeJsonb(2n ** 64n, "state"));
  for (const value of [
    1n,
    2n ** 53n,
    10n ** 21n,
    -0,
    NaN,
    -Infinity,
    record,
    JSON.parse(record) as unknown,
  ]) {
    expect(written(value)).toBe(jsonTextOf(encodeJsonb(value, "state")));
  }
});

it("writes what is read back equal", async () => {
  const number = fc.oneof(fc.bigInt(), fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }), fc.double());
  const value = fc.oneof(number, fc.array(number), fc.dictionary(fc.string(), number));
  const survives = async (original: unknown): Promise<void> => {
    const text = written(original);
    expect(await parseJsonText(text, "jsonb")).toEqual(original);
    // JSONB stores all digits of a number with an exponent.
    const digits = text.replace(/(\d)(?:\.(\d+))?e\+(\d+)/g, withoutExponent);
    expect(await parseJsonText(digits, "jsonb")).toEqual(original);
  };
  await fc.assert(fc.asyncProperty(value, survives), runs(300));
});
