/**
 * Measures what the calls of a saver cost, and writes the figures into `bench/results/units` and into the constants of `estimate`. Run
 * it with `npm run bench:units`; with `-- --quick` it writes nothing.
 */
import { mkdir } from "node:fs/promises";
import { parseArgs } from "node:util";
import { writeFormatted } from "../../test-support/formatted.js";
import { startBenchServer } from "../bench-server.js";
import { measureUnits, type UnitResults } from "./measure-units.js";
import { unitsToMarkdown } from "./to-markdown.js";

const RESULTS = new URL("../results/units/", import.meta.url);
const CONSTANTS = new URL("../../src/estimate/measured-costs.ts", import.meta.url);

const { quick } = parseArgs({ options: { quick: { type: "boolean", default: false } } }).values;
const server = await startBenchServer();
try {
  const results = await measureUnits(server, { quick });
  console.log(unitsToMarkdown(results));
  if (!quick) await writeUnits(results);
} finally {
  await server.stop();
}

async function writeUnits(results: UnitResults): Promise<void> {
  await mkdir(RESULTS, { recursive: true });
  await writeFormatted(new URL("latest.json", RESULTS), JSON.stringify(results));
  await writeFormatted(new URL("latest.md", RESULTS), unitsToMarkdown(results));
  await writeFormatted(
    CONSTANTS,
    `import type { UnitCosts } from "./unit-costs.js";

/** What calls cost. \`npm run bench:units\` writes this file, and how it was measured into bench/results/units. */
export const MEASURED_COSTS: UnitCosts = ${JSON.stringify(results.costs)};
`,
  );
}
