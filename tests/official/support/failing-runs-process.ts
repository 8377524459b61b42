import { logFailedSaves } from "../../../examples/failed-saves.js";
import { CheckpointError } from "../../../src/index.js";
import { type FailingRun, HANDLED_RUNS, UNHANDLED_RUNS } from "./failing-runs.js";
import { ReportingSaver } from "./reporting-saver.js";

/**
 * A process that runs graphs with a failing save in sequence, and listens to unhandled rejections as the documentation recommends.
 * For each run it prints the code of the error that the run failed with, whether the slow node has begun, and the codes of the
 * rejections that Node.js reported as unhandled. At the end it leaves a rejection of its own unhandled.
 *
 * Its argument is the connection string of the database.
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
