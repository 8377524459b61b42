/**
 * Measures steps a second on a Citus cluster, and the same without Citus on its coordinator, and writes the figures into
 * `bench/results/citus`. Run it with `CITUS_URL=postgres://… npm run bench:citus`; with `-- --quick` it writes nothing.
 */
import { mkdir } from "node:fs/promises";
import { parseArgs } from "node:util";
import { writeFormatted } from "../../test-support/formatted.js";
import { citusToMarkdown } from "./citus-to-markdown.js";
import { measureCitus } from "./measure-citus.js";

const RESULTS = new URL("../results/citus/", import.meta.url);

const { quick } = parseArgs({ options: { quick: { type: "boolean", default: false } } }).values;
const url = process.env.CITUS_URL ?? "";
if (url === "") throw new Error("CITUS_URL must name the coordinator of a Citus cluster with workers");
const results = await measureCitus(url, { quick });
const markdown = citusToMarkdown(results);
console.log(markdown);
if (!quick) {
  await mkdir(RESULTS, { recursive: true });
  await writeFormatted(new URL("latest.json", RESULTS), JSON.stringify(results));
  await writeFormatted(new URL("latest.md", RESULTS), markdown);
}
