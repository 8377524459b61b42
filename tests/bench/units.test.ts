import { readFile } from "node:fs/promises";
import { describe, expect, it } from "@jest/globals";
import { compareEstimate, type Compared } from "../../bench/units/compare-estimate.js";
import { synthetic } from "../../bench/units/known-fleets.js";
import { MEASURED_COSTS } from "../../src/estimate/measured-costs.js";
import { describeServer } from "../../test-support/targets.js";

const RESULTS = new URL("../../bench/results/units/latest.json", import.meta.url);

/** What the page about scale promises. */
const TOLERANCE = 0.15;

describe("the costs that estimates are made of", () => {
  it("are those that were measured", async () => {
    const { costs } = JSON.parse(await readFile(RESULTS, "utf8")) as { costs: unknown };
    expect(MEASURED_COSTS).toEqual(costs);
  });
});

describeServer("an estimate", (server) => {
  // Random bytes, because servers without LZ4 compress text to another length.
  it("counts the rows of a stored fleet, and comes near its bytes", async () => {
    const fleet = synthetic("a fleet", {
      ...{ threads: 20, checkpointsPerThread: 40, channels: 10, changed: 2, valueBytes: 1_200 },
      ...{ messageBytes: 600, splices: true, content: "random" },
    });
    const emptyDatabase = async () => {
      const database = await server.createDatabase();
      return Object.assign(database, { giveBack: () => database.drop() });
    };
    const { rows, bytes, tables } = await compareEstimate(fleet, { emptyDatabase }, MEASURED_COSTS);
    expect(rows.estimated).toBe(rows.measured);
    expect(tables.checkpoint_writes.rows.measured).toBe(20 * 40 * 4);
    expect(distanceOf(bytes)).toBeLessThan(TOLERANCE);
    for (const table of Object.values(tables)) expect(distanceOf(table.bytes)).toBeLessThan(2 * TOLERANCE);
  });
});

function distanceOf({ estimated, measured }: Compared): number {
  return Math.abs(estimated / measured - 1);
}
