/** The long run of a service with users: `npm run test:soak`. */
import { commandOf, parseSoakArguments, USAGE } from "./run/parse-arguments.js";
import { describeSoak } from "./run/describe-soak.js";
import { runSoak } from "./run/run-soak.js";

const given = parseSoakArguments(process.argv.slice(2));
if (given.help) {
  console.log(USAGE);
} else {
  console.log(commandOf(given));
  const run = await runSoak(given, console.log);
  console.log(describeSoak(run));
  if (run.findings.length > 0) {
    console.log(`To repeat it: ${commandOf(given)}`);
    process.exitCode = 1;
  }
}
