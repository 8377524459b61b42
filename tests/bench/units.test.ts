import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "@jest/globals";
import { compareEstimate, type Compared } from "../../bench/units/compare-estimate.js";
import { synthetic } from "../../bench/units/known-fleets.js";
import type { UnitResults } from "../../bench/units/measure-units.js";
import { comparisonsTable } from "../../bench/units/to-markdown.js";
import type { EstimateOptions } from "../../src/estimate/estimate-input.js";
import { MEASURED_COSTS } from "../../src/estimate/measured-costs.js";
import { formatted } from "../../test-support/formatted.js";
import { describeServer } from "../../test-support/targets.js";

const RESULTS = new URL("../../bench/results/units/latest.json", import.meta.url);

const SCALE = new URL("../../docs/scale.md", import.meta.url);
const TABLE = /(?<=<!-- bench:units -->\n\n)\|[^]*?\n(?=\n)/;

/** What the page about scale promises. */
const TOLERANCE = 0.15;

describe("the costs that estimates are made of", () => {
  it("are those that were measured", async () => {
    expect(MEASURED_COSTS).toEqual((await readResults()).costs);
  });

  it("came as near to fleets that were stored as docs/scale.md promises, which shows them; CLI_DOCS=write updates it", async () => {
    const { comparisons } = await readResults();
    for (const { name, rows, bytes, logBytes } of comparisons) {
      for (const compared of [rows, bytes, logBytes ?? bytes])
        expect([name, distanceOf(compared) < TOLERANCE]).toEqual([name, true]);
    }
    const page = await readFile(SCALE, "utf8");
    const table = await formatted("scale.md", comparisonsTable(comparisons));
    if (process.env.CLI_DOCS === "write")
      await writeFile(
        SCALE,
        page.replace(TABLE, () => table),
      );
    else expect(TABLE.exec(page)?.[0]).toBe(table);
  });
});

async function readResults(): Promise<UnitResults> {
  return JSON.parse(await readFile(RESULTS, "utf8")) as UnitResults;
}

describeServer("an estimate", (server) => {
  // Random bytes, because servers without LZ4 compress text to another length.
  it("counts the rows of a stored fleet, and comes near its bytes", async () => {
    const options: EstimateOptions = {
      ...{ threads: 20, checkpointsPerThread: 40, channels: 10, changed: 2, valueBytes: 1_200 },
      ...{ messageBytes: 600, splices: true, content: "random" },
    };
    const fleet = synthetic("a fleet", options, 1);
    const emptyDatabase = async () => {
      const database = await server.createDatabase();
      return Object.assign(database, { giveBack: () => database.drop() });
    };
    const { rows, bytes, tables } = await compareEstimate(fleet, { emptyDatabase }, MEASURED_COSTS);
    expect(rows.estimated).toBe(rows.measured);
    expect(tables.checkpoint_writes.rows.measured).toBe(20 * 40 * 4);
    expect(distanceOf(bytes)).toBeLessThan(TOLERANCE);
    for (const [name, table] of Object.entries(tables))
      expect([name, distanceOf(table.bytes) < 2 * TOLERANCE]).toEqual([name, true]);
  });
});

function distanceOf({ estimated, measured }: Compared): number {
  return Math.abs(estimated / measured - 1);
}
