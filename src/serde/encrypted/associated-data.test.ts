import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { runs } from "../../../test-support/runs.js";
import type { ValueContext } from "../serde-context.js";
import { associatedData } from "./aes-gcm.js";

// Few and short strings, so that the concatenated parts of two rows are often equal.
const text = fc.string({ unit: fc.constantFrom("a", "b", "\0", "é"), maxLength: 3 });
const row = { threadId: text, checkpointNs: text, channel: text };

const context: fc.Arbitrary<ValueContext | undefined> = fc.oneof(
  fc.constant(undefined),
  fc.record({ ...row, version: text }),
  fc.record({ ...row, checkpointId: text, taskId: text, idx: fc.integer({ min: -4, max: 12 }) }),
);

const place = fc.record({ header: fc.uint8Array({ maxLength: 3 }), type: text, context });

describe("the associated data of a ciphertext", () => {
  test("differs for any two rows, type tags and headers", () => {
    fc.assert(
      fc.property(place, place, (a, b) => {
        const [left, right] = [a, b].map(({ header, type, context }) =>
          associatedData(header, type, context),
        );
        const isSame = JSON.stringify(a) === JSON.stringify(b);
        expect(left?.equals(right ?? Buffer.of())).toBe(isSame);
      }),
      runs(2_000),
    );
  });

  test("differs for a value, a write and no row, even if all strings are empty", () => {
    const empty = { threadId: "", checkpointNs: "", channel: "" };
    const contexts = [
      undefined,
      { ...empty, version: "" },
      { ...empty, checkpointId: "", taskId: "", idx: 0 },
    ];
    const all = contexts.map((context) => associatedData(Uint8Array.of(1, 0), "", context).toString("hex"));
    expect(new Set(all).size).toBe(3);
  });

  test("does not depend on the order of the keys of a context", () => {
    const given = { threadId: "t", checkpointNs: "n", channel: "c", version: "v" };
    const turned = { version: "v", channel: "c", checkpointNs: "n", threadId: "t" };
    expect(associatedData(Uint8Array.of(), "msgpack", given)).toEqual(
      associatedData(Uint8Array.of(), "msgpack", turned),
    );
  });
});
