/** The example service under load and faults: `npm run test:service`. */
import { describeReport } from "../../examples/service/load/tally.js";
import { parseServiceArguments, USAGE } from "./parse-arguments.js";
import { runService } from "./run-service.js";

const given = parseServiceArguments(process.argv.slice(2));
if (given.help) {
  console.log(USAGE);
} else {
  console.log(`--seed ${given.seed}`);
  const { faults, report, heapMb, prunedThreads, failures } = await runService(given, console.log);
  console.log(`\n${faults} faults in ${given.minutes} minutes\n${describeReport(report)}`);
  console.log(`the smallest heap in each tenth of the time, in MB: ${heapMb.join(", ")}`);
  console.log(`retention has pruned ${prunedThreads} of ${report.threads} threads`);
  console.log(failures.length === 0 ? "PASSED" : `FAILED:\n${failures.join("\n")}`);
  if (failures.length > 0) process.exitCode = 1;
}
