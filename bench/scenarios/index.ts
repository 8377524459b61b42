import { branches } from "./branches.js";
import { concurrentSetup } from "./concurrent-setup.js";
import { concurrentThreads } from "./concurrent-threads.js";
import { deltaHistory } from "./delta-history.js";
import { disk } from "./disk.js";
import { getTuple, plainGetTuple } from "./get-tuple.js";
import { graphRun } from "./graph-run.js";
import { killedBackend } from "./killed-backend.js";
import { list } from "./list.js";
import { memory } from "./memory.js";
import { put } from "./put.js";
import { putWrites } from "./put-writes.js";
import { roundTrip } from "./round-trip.js";
import type { AmountScenario, FactScenario, LoadScenario, TimedScenario } from "./scenario.js";

/** What is timed, in the order of the report. */
export const TIMED_SCENARIOS: readonly TimedScenario[] = [
  put,
  putWrites,
  getTuple,
  list,
  deltaHistory,
  graphRun,
];

/** What is timed by pgbench too. */
export const PGBENCH_SCENARIOS: readonly TimedScenario[] = [plainGetTuple];

/** What is loaded with many threads, in the order of the report. */
export const LOAD_SCENARIOS: readonly LoadScenario[] = [concurrentThreads];

/** What is measured otherwise than by the clock, in the order of the report. */
export const AMOUNT_SCENARIOS: readonly AmountScenario[] = [memory, disk];

/** What is told, in the order of the report. */
export const FACT_SCENARIOS: readonly FactScenario[] = [concurrentSetup, branches, roundTrip, killedBackend];
