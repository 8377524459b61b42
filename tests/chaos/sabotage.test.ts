import { expect, it } from "@jest/globals";
import { SEED } from "../../test-support/runs.js";
import { runChaos } from "./run/run-chaos.js";
import { faultsNamed } from "./run/schedule.js";

/** A busy machine may take so long until the load continues. */
const ANY_TIME_MS = 120_000;
const TIMEOUT_MS = 300_000;

it(
  "the checker finds the checkpoints that are lost if the server acknowledges before it writes",
  async () => {
    const run = await runChaos({
      seed: SEED,
      saver: "ours",
      sabotage: true,
      faults: () => faultsNamed("server killed"),
      calmMs: 300,
      giveUpMs: ANY_TIME_MS,
    });
    expect(run.findings.map(({ kind }) => kind)).toContain("lost");
  },
  TIMEOUT_MS,
);
