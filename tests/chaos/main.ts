/** The long run: `npm run test:chaos`. */
import { parseChaosArguments, USAGE } from "./run/parse-arguments.js";
import { describeRun } from "./report/describe-run.js";
import { failuresOf } from "./report/failures.js";
import { writeReport } from "./report/write-report.js";
import { runChaos } from "./run/run-chaos.js";
import { faultsNamed, untilTimeIsUp } from "./run/schedule.js";

const { seed, saver, only, forks, sabotage, minutes, writes, help } = parseChaosArguments(
  process.argv.slice(2),
  process.env,
);
if (help) {
  console.log(USAGE);
} else {
  console.log(`CHAOS_SEED=${seed}`);
  const run = await runChaos({
    seed,
    saver,
    forks,
    sabotage,
    calmMs: 2_000,
    faults: (random) => untilTimeIsUp(random, minutes * 60_000, faultsNamed(only)),
    onProgress: console.log,
  });
  console.log(describeRun(run));
  if (writes) await writeReport(run, { seed, minutes });
  if (failuresOf(run).length > 0) process.exitCode = 1;
}
