import { describe, expect, it } from "@jest/globals";
import { describeRun } from "./report/describe-run.js";
import { failuresOf } from "./report/failures.js";
import { FAULTS } from "./faults/index.js";
import { randomSeed } from "./run/parse-arguments.js";
import { runChaos } from "./run/run-chaos.js";
import { eachOnce, faultsNamed } from "./run/schedule.js";

/** Faults wait for the server to come back, which takes long on a busy machine. */
const TIMEOUT_MS = 300_000;

describe("a saver under load, with faults everywhere", () => {
  it(
    "loses nothing, leaves nothing half-written, lives on, and goes on within 5 s",
    async () => {
      const seed = Number(process.env.CHAOS_SEED ?? randomSeed());
      const run = await runChaos({ seed, saver: "ours", faults: eachOnce, calmMs: 300 });
      const failures = failuresOf(run);
      if (failures.length > 0) console.error(`CHAOS_SEED=${seed}\n\n${describeRun(run)}`);
      expect(failures).toEqual([]);
      expect(run.incidents).toHaveLength(FAULTS.length);
      expect(run.checkpoints).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );

  it(
    "loses checkpoints if the server acknowledges before it writes, and the checker finds that",
    async () => {
      const run = await runChaos({
        seed: randomSeed(),
        saver: "ours",
        sabotage: true,
        faults: () => faultsNamed("server killed"),
        calmMs: 300,
      });
      expect(run.findings.map(({ kind }) => kind)).toContain("lost");
    },
    TIMEOUT_MS,
  );
});
