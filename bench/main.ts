/**
 * Compares this library with the official saver in one run, on one server, with equal data. Run it with `npm run
 * bench`. README.md in this folder explains how each figure is measured.
 */
import { startBenchServer } from "./bench-server.js";
import { type BenchOptions, parseBenchOptions, USAGE } from "./options.js";
import { toMarkdown } from "./report/to-markdown.js";
import { writeResults } from "./report/write-results.js";
import { runBench } from "./run-bench.js";

const options = readOptions();
if (options?.help === true) console.log(USAGE);
else if (options !== undefined) await main(options);

function readOptions(): BenchOptions | undefined {
  try {
    return parseBenchOptions(process.argv.slice(2));
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    process.exitCode = 1;
    return undefined;
  }
}

async function main(options: BenchOptions): Promise<void> {
  const server = await startBenchServer();
  try {
    const { results, errors } = await runBench(server, options);
    console.log(toMarkdown(results));
    for (const error of errors) console.error(error);
    // The results of half a run are not kept.
    if (errors.length > 0) process.exitCode = 1;
    else if (options.out !== undefined) await writeResults(options.out, results);
  } finally {
    await server.stop();
  }
}
