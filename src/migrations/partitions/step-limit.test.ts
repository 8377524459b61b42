import { expect, it } from "@jest/globals";
import type { StepResult } from "./conversion-step.js";
import { nextLimit } from "./partition-tables.js";

const MOVED: StepResult = {
  ...{ kind: "moved", isEnd: false, table: "checkpoints", phase: "copy", rows: 9, estimatedRows: 9 },
};

it.each<[what: string, limit: number, result: StepResult, tookMs: number, next: number]>([
  ["twice as many after a short step", 64, MOVED, 74, 128],
  ["as many after one of half the time", 64, MOVED, 75, 64],
  ["as many after one of the whole time", 64, MOVED, 150, 64],
  ["half of them after a longer one", 64, MOVED, 151, 32],
  ["one at least", 1, MOVED, 151, 1],
  ["a whole number", 3, MOVED, 151, 1],
  ["8,192 at most", 8_192, MOVED, 0, 8_192],
  ["64 in the next phase", 512, { ...MOVED, isEnd: true }, 0, 64],
  ["64 after any other step", 512, { kind: "begun" }, 0, 64],
])("a step of a conversion moves %s", (_, limit, result, tookMs, next) => {
  expect(nextLimit(limit, result, tookMs)).toBe(next);
});
