/**
 * Measures calls and maintenance on plain and on partitioned tables, and writes the figures into `bench/results/partitions`. Run it with
 * `npm run bench:partitions`; with `-- --quick` it writes nothing.
 */
import { mkdir } from "node:fs/promises";
import { parseArgs } from "node:util";
import { writeFormatted } from "../../test-support/formatted.js";
import { startBenchServer } from "../bench-server.js";
import { measurePartitions } from "./measure-partitions.js";
import { partitionsToMarkdown } from "./to-markdown.js";

const RESULTS = new URL("../results/partitions/", import.meta.url);

const { quick } = parseArgs({ options: { quick: { type: "boolean", default: false } } }).values;
const server = await startBenchServer();
try {
  const results = await measurePartitions(server, { quick });
  const text = partitionsToMarkdown(results);
  console.log(text);
  if (!quick) {
    await mkdir(RESULTS, { recursive: true });
    await writeFormatted(new URL("latest.json", RESULTS), JSON.stringify(results));
    await writeFormatted(new URL("latest.md", RESULTS), text);
  }
} finally {
  await server.stop();
}
