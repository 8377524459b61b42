import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { ManualTime } from "../../test-support/manual-time.js";
import { runs } from "../../test-support/runs.js";
import { GroupedCalls } from "./model/grouped-calls.js";
import { GroupedReads } from "./model/grouped-reads.js";
import { anyCalls, anyReads } from "./model/steps.js";

const anyShape = fc.record({
  connections: fc.constantFrom(1, 3, 4, 10),
  statementTimeoutMs: fc.constantFrom(undefined, 1_000),
  retries: fc.boolean(),
});

/** Calls that may share a statement, of threads that no other call is on. */
const probe = (number: number) =>
  ({ threadId: `probe ${number}`, kind: "put", isLarge: false, hasSignal: false }) as const;

/** Runs `during` while time passes only as it says. */
async function inManualTime(during: (time: ManualTime) => Promise<void>): Promise<void> {
  const time = new ManualTime();
  time.start();
  try {
    await during(time);
  } finally {
    time.stop();
  }
}

describe("the queues of group commit", () => {
  it("let every call settle, in the order of its thread, and are as new when idle (C14, C16)", async () => {
    await fc.assert(
      fc.asyncProperty(anyShape, anyCalls, (shape, history) =>
        inManualTime(async (time) => {
          const grouped = new GroupedCalls(shape, time);
          await fc.asyncModelRun(() => ({ model: {}, real: { grouped, time } }), history);
          await grouped.drain();
          for (let number = 0; number <= shape.connections; number++) grouped.arrive(probe(number)).encode();
          await grouped.settle();
          // As many are sent at once as a new saver sends.
          expect(grouped.statements.map(({ calls }) => calls.length)).toEqual(
            Array.from({ length: Math.max(1, shape.connections - 2) }, () => 1),
          );
          for (const { bounds } of grouped.statements) expect(bounds.lockTimeoutMs).toBeUndefined();
          await grouped.drain();
        }),
      ),
      runs(150),
    );
  });

  it("end no call of a burst that is longer than its time limit", () =>
    inManualTime(async (time) => {
      const grouped = new GroupedCalls({ connections: 1, statementTimeoutMs: 100, retries: false }, time);
      // A statement takes a hundred of them, and the next one is sent after 30 ms.
      for (let number = 0; number < 600; number++) grouped.arrive(probe(number)).encode();
      await grouped.settle();
      time.pass(130);
      await grouped.settle();
      expect(grouped.calls.some(({ isSettled, isUnderWay }) => !isSettled && !isUnderWay)).toBe(true);
      await grouped.drain();
      expect(grouped.calls.every(({ isStored }) => isStored)).toBe(true);
    }));

  it("let every read settle with its own rows, and are as new when idle (C16)", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(1, 3, 4, 10), anyReads, (connections, history) =>
        inManualTime(async (time) => {
          const grouped = new GroupedReads(connections, time);
          await fc.asyncModelRun(() => ({ model: {}, real: { grouped, time } }), history);
          await grouped.drain();
          for (let number = 0; number <= connections; number++)
            grouped.arrive({ threadId: `probe ${number}`, writes: false, hasSignal: false });
          await grouped.settle();
          expect(grouped.statements.map(({ isGroup }) => isGroup)).toEqual(
            Array.from({ length: Math.max(1, connections - 2) }, () => false),
          );
          await grouped.drain();
        }),
      ),
      runs(150),
    );
  });
});
