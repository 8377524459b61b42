import { describe, expect, it } from "@jest/globals";
import { IS_LONG, SEED } from "../../test-support/runs.js";
import { killClient } from "./faults/client-faults.js";
import { delayStatements } from "./faults/delay-faults.js";
import { cutMessages, loseConnections } from "./faults/network-faults.js";
import { killBackend, killServer } from "./faults/server-faults.js";
import { terminateActive } from "./faults/session-faults.js";
import { describeRun } from "./report/describe-run.js";
import { failuresOf } from "./report/failures.js";
import { LOAD, SMALL_LOAD } from "./run/chaos-options.js";
import { runChaos } from "./run/run-chaos.js";
import { eachOnce } from "./run/schedule.js";

/** Faults wait until the server is back, which takes long on a busy machine. */
const TIMEOUT_MS = 300_000;
/** How fast the load continues is checked by `npm run test:chaos`, because a busy machine makes it meaningless here. */
const ANY_TIME_MS = 120_000;

/** One fault of each kind. The others take seconds each, and run in `npm run test:long` and `npm run test:chaos`. */
const SHORT = [
  killServer,
  killBackend,
  terminateActive,
  cutMessages,
  loseConnections,
  delayStatements,
  killClient,
];

describe("a saver under load, with faults everywhere", () => {
  it(
    "loses nothing, stores nothing half, survives, and continues",
    async () => {
      const run = await runChaos({
        seed: SEED,
        saver: "ours",
        load: IS_LONG ? LOAD : SMALL_LOAD,
        faults: IS_LONG ? eachOnce : () => SHORT,
        calmMs: 300,
        giveUpMs: ANY_TIME_MS,
      });
      const failures = failuresOf(run, ANY_TIME_MS);
      if (failures.length > 0) console.error(`CHAOS_SEED=${SEED}\n\n${describeRun(run)}`);
      expect(failures).toEqual([]);
      expect(run.incidents.length).toBeGreaterThanOrEqual(SHORT.length);
      expect(run.checkpoints).toBeGreaterThan(0);
      expect(run.splices).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );
});
