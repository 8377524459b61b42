/** Prints how many functions and files of `src` a warm call runs. `--files` lists them, each with the number of its functions. */
import process from "node:process";
import { PostgresSaver } from "../../src/index.js";
import { traceCall } from "../../test-support/trace-call.js";
import { tracedCalls } from "../../test-support/traced-calls.js";
import { startBenchServer } from "../bench-server.js";

const listsFiles = process.argv.includes("--files");
const server = await startBenchServer();
try {
  const database = await server.emptyDatabase();
  await using saver = new PostgresSaver(database.source);
  await saver.setup();
  for (const [name, call] of Object.entries(tracedCalls(saver, "traced"))) {
    const trace = await traceCall(call);
    const functions = [...trace.values()].reduce((sum, count) => sum + count, 0);
    console.log(`${name}: ${functions} functions in ${trace.size} files`);
    if (listsFiles) for (const [file, count] of trace) console.log(`  ${file}: ${count}`);
  }
} finally {
  await server.stop();
}
