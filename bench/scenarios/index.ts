import { branches } from "./branches.js";
import { cache } from "./cache.js";
import { concurrentSetup } from "./concurrent-setup.js";
import { concurrentThreads } from "./concurrent-threads.js";
import { deltaHistory } from "./delta-history.js";
import { disk } from "./disk.js";
import { getTuple, plainGetTuple } from "./get-tuple.js";
import { graphRun } from "./graph-run.js";
import { killedBackend } from "./killed-backend.js";
import { list } from "./list.js";
import { longThread } from "./long-thread.js";
import { memory } from "./memory.js";
import { put } from "./put.js";
import { putWrites } from "./put-writes.js";
import { roundTrip } from "./round-trip.js";
import { start } from "./start.js";
import type { AmountScenario, FactScenario, LoadScenario, TimedScenario } from "./scenario.js";

/** The timed scenarios, in the order of the report. */
export const TIMED_SCENARIOS: readonly TimedScenario[] = [
  put,
  putWrites,
  getTuple,
  list,
  deltaHistory,
  graphRun,
];

/** The case that pgbench times too. */
export const PGBENCH_SCENARIOS: readonly TimedScenario[] = [plainGetTuple];

/** The scenarios with many threads, in the order of the report. */
export const LOAD_SCENARIOS: readonly LoadScenario[] = [concurrentThreads];

/** The scenarios that measure something else than time, in the order of the report. */
export const AMOUNT_SCENARIOS: readonly AmountScenario[] = [memory, longThread, disk, cache, start];

/** The scenarios that report facts, in the order of the report. */
export const FACT_SCENARIOS: readonly FactScenario[] = [concurrentSetup, branches, roundTrip, killedBackend];
