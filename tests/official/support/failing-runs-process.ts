import { logFailedSaves } from "../../../examples/failed-saves.js";
import { CheckpointError } from "../../../src/index.js";
import { type FailingRun, HANDLED_RUNS, UNHANDLED_RUNS } from "./failing-runs.js";
import { ReportingSaver } from "./reporting-saver.js";

/**
 * A process that runs graphs of which a save fails, one after the other, and listens to unhandled rejections as the
 * documentation says. For each run it prints the code of the error that the run failed with, whether the slow node has begun,
 * and the codes of the rejections that Node.js found unhandled meanwhile. At last it leaves a rejection of its own unhandled.
 *
 * Called with the database's connection string.
 */
const [url = ""] = process.argv.slice(2);
let unhandled = new Set<string>();
logFailedSaves((error) => unhandled.add(error.code));

async function failureOf(run: FailingRun, saver: ReportingSaver, threadId: string): Promise<string> {
  try {
    await run.run(saver, { configurable: { thread_id: threadId }, durability: run.durability });
    return "none";
  } catch (error) {
    return error instanceof CheckpointError ? error.code : String(error);
  }
}

for (const [index, run] of [...HANDLED_RUNS, ...UNHANDLED_RUNS].entries()) {
  unhandled = new Set();
  await using saver = new ReportingSaver(url, undefined, run.options);
  const failure = await failureOf(run, saver, String(index));
  const { name, durability } = run;
  const { nodeBegan } = saver;
  process.stdout.write(
    `${JSON.stringify({ name, durability, failure, nodeBegan, unhandled: [...unhandled] })}\n`,
  );
}
void Promise.reject(new RangeError("the application's own"));
