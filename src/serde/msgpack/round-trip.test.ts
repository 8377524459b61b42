import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { runs } from "../../../test-support/runs.js";
import { MsgpackSerializer } from "./msgpack-serializer.js";
import { encode } from "./msgpack-encoder.js";
import { firstDifference } from "../test-support/first-difference.js";
import { objectsOf, value } from "../test-support/values.js";

const serializer = new MsgpackSerializer();

async function roundTrip(written: unknown): Promise<unknown> {
  const [type, bytes] = await serializer.dumpsTyped(written);
  return serializer.loadsTyped(type, bytes);
}

describe("MessagePack", () => {
  test("reads any value back equal", async () => {
    await fc.assert(
      fc.asyncProperty(value, async (written) => {
        expect(firstDifference(await roundTrip(written), written)).toBeUndefined();
      }),
      runs(1000),
    );
  });

  test("always writes the same value as the same bytes", () => {
    fc.assert(
      fc.property(value, (written) => {
        expect(Buffer.compare(encode(written), encode(written))).toBe(0);
      }),
      runs(100),
    );
  });

  test("keeps the order of an object's keys, and __proto__ as one of them", async () => {
    await fc.assert(
      fc.asyncProperty(objectsOf(fc.integer()), async (written) => {
        const read = Object(await roundTrip(written)) as object;
        expect(Object.keys(read)).toEqual(Object.keys(written));
        expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
      }),
      runs(100),
    );
  });
});
