import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createCheckpoint, PostgresCheckpointStore } from "../../src/checkpoint-store/index.js";
import { firstGoTables, goRow, todaysGoTables } from "../../test-support/langgraphgo-tables.js";
import { describeEachTarget, type TestDatabase } from "../../test-support/targets.js";
import { readFixture } from "./langgraphgo/fixture.js";
import { goOnCases } from "./langgraphgo/shared-cases.js";

/** What both versions of Go select, in the types that they read it into. */
interface GoRow extends Record<string, unknown> {
  readonly id: string;
  readonly node_name: string;
  readonly state: string;
  readonly metadata: string | null;
  readonly timestamp: string;
  readonly version: number;
}

const GO_LIST = `
  SELECT id, node_name, state::text AS state, metadata::text AS metadata,
    to_char(timestamp AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') AS timestamp, version
  FROM checkpoints
  WHERE execution_id = $1
  ORDER BY timestamp ASC`;

describeEachTarget("a table of langgraphgo in Postgres", (target) => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await target.createDatabase();
  });

  describe.each([
    ["v0.5.0", firstGoTables],
    ["v0.8.5", todaysGoTables],
  ] as const)("%s", (version, tablesOf) => {
    let store: PostgresCheckpointStore;
    beforeAll(async () => {
      await database.reset();
      await database.exec(readFixture(`postgres-${version}.sql`));
      store = new PostgresCheckpointStore(database.source, { table: "checkpoints" });
      await store.setup();
    });
    afterAll(() => store.end());

    goOnCases(version, () => store);

    it("has what Go reads, after all of these changes", async () => {
      const run = await database.query<GoRow>(GO_LIST, ["exec_run"]);
      expect(run.map(({ version: number }) => typeof number)).toEqual(run.map(() => "number"));
      expect(run.slice(-2)).toEqual(
        [1, 2].map((n) => ({
          id: `ours_${n}`,
          node_name: "ours",
          state: `{"n": ${n}, "before": {"step": 11}}`,
          metadata: '{"thread_id": "user-9", "execution_id": "exec_run"}',
          timestamp: `2025-12-06 02:00:01.00${n}000`,
          version: (version === "v0.5.0" ? 1 : 12) + n,
        })),
      );
      const fixture = readFixture(`postgres-${version}.sql`);
      for (const { id, state } of await database.query<GoRow>(GO_LIST, ["exec_values"])) {
        if (id === "value_unicode") continue;
        // Loaded and saved again, with every digit.
        expect(fixture).toContain(`'${state}'`);
      }
    });

    it("may be written by Go between two calls", async () => {
      const metadata = { execution_id: "exec_both", thread_id: "both" };
      const timestamp = new Date("2025-12-06T02:20:30.122Z");
      await store.save(createCheckpoint({ executionId: "exec_both", nodeName: "n", state: 0, timestamp }));
      const go = tablesOf("checkpoints");
      await database.exec(go.schema);
      await database.query(go.save, goRow(go, "go", metadata));
      expect(await store.latest("exec_both")).toEqual({
        id: "go",
        nodeName: "fetch",
        state: { pages: [1, 2.5] },
        metadata,
        timestamp: new Date("2025-12-06T02:20:30.123Z"),
        version: 1,
      });
      await database.query("DELETE FROM checkpoints WHERE execution_id = $1", ["exec_both"]);
      expect(await store.list("exec_both")).toEqual([]);
    });
  });
});
