import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { runs } from "../../../tests/support/runs.js";
import type { ValueContext } from "../serde-context.js";
import { associatedData } from "./associated-data.js";

// Few and short texts, so that the parts of two places often run together to the same text.
const text = fc.string({ unit: fc.constantFrom("a", "b", "\0", "é"), maxLength: 3 });
const row = { threadId: text, checkpointNs: text, channel: text };

const context: fc.Arbitrary<ValueContext | undefined> = fc.oneof(
  fc.constant(undefined),
  fc.record({ ...row, version: text }),
  fc.record({ ...row, checkpointId: text, taskId: text, idx: fc.integer({ min: -4, max: 12 }) }),
);

const place = fc.record({ header: fc.uint8Array({ maxLength: 3 }), type: text, context });

describe("what is authenticated with a ciphertext", () => {
  test("is another for any two places, type tags and headers", () => {
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

  test("tells a value from a write, and both from what stands anywhere, though all texts are empty", () => {
    const empty = { threadId: "", checkpointNs: "", channel: "" };
    const contexts = [
      undefined,
      { ...empty, version: "" },
      { ...empty, checkpointId: "", taskId: "", idx: 0 },
    ];
    const all = contexts.map((context) => associatedData(Uint8Array.of(1, 0), "", context).toString("hex"));
    expect(new Set(all).size).toBe(3);
  });

  test("does not depend on the order of a context's keys", () => {
    const given = { threadId: "t", checkpointNs: "n", channel: "c", version: "v" };
    const turned = { version: "v", channel: "c", checkpointNs: "n", threadId: "t" };
    expect(associatedData(Uint8Array.of(), "msgpack", given)).toEqual(
      associatedData(Uint8Array.of(), "msgpack", turned),
    );
  });
});
