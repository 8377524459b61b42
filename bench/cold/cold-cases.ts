import type { Size } from "../scenarios/scenario.js";
import { COLD_WORKS, type ColdWork } from "./cold-works.js";

/** Calls of new processes, in which V8 interprets what it has not compiled. */
export interface ColdCase {
  readonly name: string;
  readonly work: ColdWork;
  /** The number of calls of a process. */
  readonly calls: number;
  /** How many of these, the first ones, are left out of the figures. */
  readonly skipped: number;
  /** The pause before each call. */
  readonly pauseMs: number;
  /** How many processes of each side make these calls. */
  readonly processes: number;
}

/** How much to measure. */
export interface ColdSize extends Size {
  /** A few processes, in less than a minute. */
  readonly brief: boolean;
}

/** A service with few users: what V8 collects and compiles in a pause is different from what it does in a burst. */
const PAUSE_MS = 200;

/** How many processes, and how many paced calls of each. */
const AMOUNTS = {
  full: { first: 15, burst: 10, paced: 5, pacedCalls: 12 },
  brief: { first: 3, burst: 2, paced: 1, pacedCalls: 8 },
  quick: { first: 1, burst: 1, paced: 1, pacedCalls: 3 },
};

/** The first two calls open the connection, and prepare the statement. */
const SKIPPED = 2;

/** The cases, in the order of the report. */
export function coldCases({ quick, brief }: ColdSize): ColdCase[] {
  const { first, burst, paced, pacedCalls } = AMOUNTS[quick ? "quick" : brief ? "brief" : "full"];
  return COLD_WORKS.flatMap((work): ColdCase[] => {
    if (work === "flat graph") {
      const once = { calls: 1, skipped: 0, pauseMs: 0, processes: first };
      return [{ name: `cold: ${work}, the first run`, work, ...once }];
    }
    const inBurst = { calls: quick ? 3 : 100, skipped: SKIPPED, pauseMs: 0, processes: burst };
    const inPauses = { calls: pacedCalls, skipped: SKIPPED, pauseMs: PAUSE_MS, processes: paced };
    return [
      { name: `cold: ${work}, calls 3 to 100`, work, ...inBurst },
      { name: `cold: ${work}, a call every ${PAUSE_MS} ms`, work, ...inPauses },
    ];
  });
}
