import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { runs } from "../../../tests/support/runs.js";
import { MsgpackSerializer } from "../msgpack-serializer.js";
import { encode } from "./encoder.js";
import { firstDifference } from "../test-support/first-difference.js";
import { objectOf, value } from "../test-support/values.js";

const serializer = new MsgpackSerializer();

async function roundTrip(written: unknown): Promise<unknown> {
  const [type, bytes] = await serializer.dumpsTyped(written);
  return serializer.loadsTyped(type, bytes);
}

describe("a value read back equals the value written", () => {
  test("whatever is nested in whatever", async () => {
    await fc.assert(
      fc.asyncProperty(value, async (written) => {
        expect(firstDifference(await roundTrip(written), written)).toBeUndefined();
      }),
      runs(1000),
    );
  });

  test("the same value is always written as the same bytes", () => {
    fc.assert(
      fc.property(value, (written) => {
        expect(Buffer.compare(encode(written), encode(written))).toBe(0);
      }),
      runs(100),
    );
  });

  test("an object keeps the order of its keys, and __proto__ is one of them", async () => {
    await fc.assert(
      fc.asyncProperty(objectOf(fc.integer()), async (written) => {
        const read = Object(await roundTrip(written)) as object;
        expect(Object.keys(read)).toEqual(Object.keys(written));
        expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
      }),
      runs(100),
    );
  });
});
