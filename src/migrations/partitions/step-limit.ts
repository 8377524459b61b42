import type { StepResult } from "./conversion-step.js";

/** How long a step should take: writers wait for it only where they delete what it copies. */
const STEP_MS = 150;
const LARGEST_LIMIT = 8_192;

/** The number of rows of the first step of each phase. */
export const FIRST_LIMIT = 64;

/** Adjusts the number of rows to the time that the last step took, since rows may have any size. */
export function nextLimit(limit: number, result: StepResult, tookMs: number): number {
  if (result.kind !== "moved" || result.isEnd) return FIRST_LIMIT;
  if (tookMs > STEP_MS) return Math.max(1, Math.floor(limit / 2));
  return tookMs < STEP_MS / 2 ? Math.min(LARGEST_LIMIT, limit * 2) : limit;
}
