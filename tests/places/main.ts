/**
 * Runs an agent on the packed package wherever users run it: `npm run test:places`, or `npm run test:places -- webpack next` for the places
 * with these words in their names. A run of all places writes docs/places.md.
 */
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Table from "cli-table3";
import { writeFormatted } from "../../test-support/formatted.js";
import { PLACES } from "./places.js";
import { installByNpm } from "./project/install.js";
import { PlaceProject } from "./project/place-project.js";
import { endPrograms } from "./project/run-program.js";
import { PAGE, renderPage } from "./report/render-page.js";
import { type PlaceReport, runPlace } from "./run-place.js";
import { NODE_PACKAGE, NODE_VERSION, nodeProgram } from "./runtimes/node-package.js";
import { openEmbeddedServer } from "./servers/embedded.js";

const words = process.argv.slice(2).map((word) => word.toLowerCase());
const chosen = PLACES.filter(
  ({ name }) => words.length === 0 || words.some((word) => name.toLowerCase().includes(word)),
);
if (chosen.length === 0)
  throw new Error(`No place has such a name. There are ${PLACES.map(({ name }) => name).join(", ")}`);

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    endPrograms();
    process.exit(1);
  });
}

const folder = await mkdtemp(join(await realpath(tmpdir()), "places-"));
try {
  const node = await installNode(folder);
  await using server = await openEmbeddedServer();
  const reports: PlaceReport[] = [];
  for (const place of chosen) {
    const report = await runPlace(place, { node, server });
    reports.push(report);
    printOutcomes(report);
  }
  printTable(reports);
  if (chosen.length === PLACES.length) {
    await writeFormatted(PAGE, renderPage(reports, { server: server.version }));
  }
  const failed = reports.some(({ outcomes }) => outcomes.some(({ result }) => result === "fails"));
  if (failed) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Installs the newest Node.js for servers, which runs the programs of places that bring none. */
async function installNode(into: string): Promise<string> {
  const project = await PlaceProject.create(into, process.execPath);
  await installByNpm(project, "--no-save", `${NODE_PACKAGE}@${NODE_VERSION}`);
  return join(into, nodeProgram());
}

function printOutcomes({ place, outcomes }: PlaceReport): void {
  for (const { trial, result, seconds } of outcomes) {
    console.log(`${place.name}, ${trial}: ${result} (${seconds} s)`);
  }
  // The trials of a place that could not be installed share one output.
  const failed = outcomes.filter(({ result }) => result === "fails");
  for (const output of new Set(failed.map((outcome) => outcome.output))) console.log(output);
}

function printTable(reports: readonly PlaceReport[]): void {
  const table = new Table({
    head: ["place", "tried with", "how", "result", "s"],
    style: { head: [], border: [] },
  });
  for (const { place, tried, outcomes } of reports) {
    for (const { trial, result, seconds } of outcomes)
      table.push([place.name, tried, trial, result, seconds]);
  }
  console.log(table.toString());
}
