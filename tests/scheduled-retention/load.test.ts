import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import { newThread } from "../../test-support/checkpoints.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { hoursAgo, putLine } from "../retention/put-line.js";
import { rowsOf } from "../retention/stored-rows.js";
import { InMemorySdk } from "../telemetry/in-memory-sdk.js";
import { EVERY, startClocked } from "./clocked-retention.js";

describeServer("the load of a retention", (target) => {
  let database: TestDatabase<string>;
  let saver: PostgresSaver;
  beforeEach(async () => {
    database = await target.sharedDatabase();
    saver = new PostgresSaver(database.source);
  });
  afterEach(() => saver.end());

  const storedRows = async (): Promise<number> => {
    const { checkpoints, writes, blobs } = await rowsOf(database);
    return Number(checkpoints) + Number(writes) + Number(blobs);
  };

  it("stays below its rows a second, and a transaction deletes no more checkpoints than that", async () => {
    const rate = 4;
    for (let n = 0; n < 3; n++) await putLine(saver, newThread(), hoursAgo(9, 8, 7, 6, 5, 4, 3, 2, 1));
    const before = await storedRows();
    const { retention, clock } = startClocked(saver, { keepLast: 1, maxRowsPerSecond: rate });
    await clock.endPause();
    const began = clock.now();
    const seen: { at: number; deleted: number }[] = [];
    while ((await clock.untilPaused()) < EVERY) {
      seen.push({ at: (clock.now() - began) / 1_000, deleted: before - (await storedRows()) });
      await clock.endPause();
    }
    const took = (clock.now() - began) / 1_000;
    const total = before - (await storedRows());
    // Each of the 24 checkpoints goes with a write and a value. One batch may be ahead of the time.
    expect(total).toBe(3 * 8 * 3);
    for (const { at, deleted } of seen) expect(deleted).toBeLessThanOrEqual(at * rate + rate * 3);
    expect(took).toBeGreaterThanOrEqual((total - rate * 3) / rate);
    await retention.stop();
  });

  it("has no pauses without a limit", async () => {
    await putLine(saver, newThread(), hoursAgo(3, 2, 1));
    const { retention, clock } = startClocked(saver, { keepLast: 1, maxRowsPerSecond: Infinity });
    await clock.endPause();
    expect(await clock.untilPaused()).toBeGreaterThanOrEqual(EVERY);
    expect(await rowsOf(database)).toMatchObject({ checkpoints: 1 });
    await retention.stop();
  });

  it("is measured: rounds since when, and their duration by outcome, deleted rows, and the last success", async () => {
    const sdk = new InMemorySdk().start();
    await using other = new PostgresSaver(database.source);
    await putLine(saver, newThread(), hoursAgo(3, 2, 1));
    const first = startClocked(saver, { keepLast: 1 });
    await first.round();
    const second = startClocked(other, { keepLast: 1 });
    await second.round();
    await first.retention.stop();
    await second.retention.stop();
    const measured = await sdk.measured();
    await sdk.stop();
    const retention = { "db.operation.name": "retention" };
    // A store of an earlier test in this process may sweep meanwhile.
    const pointsOf = (name: string) =>
      measured
        .get(`langgraph.checkpoint.retention.${name}`)
        ?.dataPoints.filter(
          ({ attributes }) => attributes["db.operation.name"] === retention["db.operation.name"],
        )
        .map(({ attributes, value }) => ({
          ...attributes,
          value: typeof value === "number" ? value : value.count,
        }));
    expect(pointsOf("duration")).toEqual([
      { ...retention, "langgraph.checkpoint.outcome": "done", value: 1 },
      { ...retention, "langgraph.checkpoint.outcome": "skipped", value: 1 },
    ]);
    expect(pointsOf("rows")).toEqual([{ ...retention, value: 6 }]);
    const lately = [{ ...retention, value: expect.closeTo(Date.now() / 1_000, -3) }];
    expect(pointsOf("started")).toEqual(lately);
    expect(pointsOf("last_success")).toEqual(lately);
  });
});
