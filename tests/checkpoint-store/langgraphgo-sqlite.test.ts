import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { createCheckpoint } from "../../src/checkpoint-store/index.js";
import { SqliteCheckpointStore } from "../../src/checkpoint-store/sqlite/index.js";
import { nodeSqliteOpener, type OwnDatabase } from "../../src/checkpoint-store/sqlite/sqlite-source.js";
import { GO_VERSIONS, readFixture } from "./langgraphgo/fixture.js";
import { goOnCases } from "./langgraphgo/shared-cases.js";

/** What both versions of Go select. */
const GO_LIST = `
  SELECT id, node_name, state, metadata, timestamp, version
  FROM checkpoints
  WHERE execution_id = ?
  ORDER BY timestamp ASC`;

/** How mattn/go-sqlite3 writes a time. It reads it only from a text in a column that is declared as `datetime`. */
const GO_TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,9})?[+-]\d\d:\d\d$/;

const hasSqlite = process.getBuiltinModule("node:sqlite") !== undefined;

(hasSqlite ? describe : describe.skip)("a table of langgraphgo in SQLite", () => {
  describe.each(GO_VERSIONS)("%s", (version) => {
    let database: OwnDatabase;
    let store: SqliteCheckpointStore;
    beforeAll(async () => {
      database = nodeSqliteOpener()(":memory:");
      database.exec(readFixture(`sqlite-${version}.sql`));
      store = new SqliteCheckpointStore(database, { table: "checkpoints" });
      await store.setup();
    });
    afterAll(() => {
      database.close();
    });

    goOnCases(version, () => store);

    it("has what Go reads, after all of these changes", () => {
      const ours = database.prepare(GO_LIST).all("exec_run").filter(isOurs);
      expect(ours).toEqual(
        [1, 2].map((n) => ({
          id: `ours_${n}`,
          node_name: "ours",
          state: `{"before":{"step":11},"n":${n}}`,
          metadata: '{"execution_id":"exec_run","thread_id":"user-9"}',
          timestamp: `2025-12-06 02:00:01.00${n}+00:00`,
          version: (version === "v0.5.0" ? 1 : 12) + n,
        })),
      );
      const fixture = readFixture(`sqlite-${version}.sql`);
      for (const row of database.prepare(GO_LIST).all("exec_values")) {
        const { id, state } = row as { id: string; state: string };
        // Loaded and saved again, with every digit. Go escapes characters that need no escape.
        if (id !== "value_unicode") expect(fixture).toContain(`'${state}'`);
      }
    });

    it("has only types that Go's driver reads, also where there is no metadata", async () => {
      await store.save({
        id: "bare",
        nodeName: "",
        state: null,
        metadata: null,
        timestamp: new Date(0),
        version: 0,
      });
      const types = database
        .prepare(
          `select distinct typeof(id) || typeof(execution_id) || typeof(node_name) || typeof(state) || typeof(metadata)
            || typeof(timestamp) as texts, typeof(version) as version from checkpoints`,
        )
        .all();
      expect(types).toEqual([{ texts: "text".repeat(6), version: "integer" }]);
      const times = database.prepare("select timestamp from checkpoints").all() as { timestamp: string }[];
      for (const { timestamp } of times) expect(timestamp).toMatch(GO_TIME);
      const columns = database
        .prepare("select name, lower(type) as type from pragma_table_info('checkpoints')")
        .all();
      expect(columns).toContainEqual({ name: "timestamp", type: "datetime" });
    });

    it("may be written by Go between two calls, in the time zone of its server", async () => {
      const timestamp = new Date("2025-12-06T02:20:30.122Z");
      await store.save(createCheckpoint({ executionId: "exec_both", nodeName: "n", state: 0, timestamp }));
      const metadata = { execution_id: "exec_both" };
      database
        .prepare(
          `INSERT INTO checkpoints (id, execution_id, node_name, state, metadata, timestamp, version)
            VALUES (?, ?, ?, ?, ?, ?, ?)`,
        )
        // As text this time is less than the one above.
        .all(
          "go",
          "exec_both",
          "n",
          "[1e+21]",
          JSON.stringify(metadata),
          "2025-12-05 21:20:30.123456789-05:00",
          2,
        );
      expect(await store.latest("exec_both")).toEqual({
        id: "go",
        nodeName: "n",
        state: [1e21],
        metadata,
        timestamp: new Date("2025-12-06T02:20:30.123Z"),
        version: 2,
      });
      database.prepare("DELETE FROM checkpoints WHERE execution_id = ?").all("exec_both");
      expect(await store.list("exec_both")).toEqual([]);
    });
  });

  it("of a new store is as Go makes it, but for indexes and an id that is never null", async () => {
    const database = nodeSqliteOpener()(":memory:");
    database.exec(readFixture("sqlite-v0.8.5.sql"));
    await new SqliteCheckpointStore(database, { table: "ours" }).setup();
    const columnsOf = (table: string) =>
      database
        .prepare(
          `select name, lower(type) as type, "notnull" or pk as required, pk from pragma_table_info(?) order by name`,
        )
        .all(table);
    expect(columnsOf("ours")).toEqual(columnsOf("checkpoints"));
    database.close();
  });
});

function isOurs(row: unknown): boolean {
  return (row as { id: string }).id.startsWith("ours_");
}
