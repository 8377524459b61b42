import { beforeEach, expect, it } from "@jest/globals";
import pg from "pg";
import { openDatabase } from "../../src/db/index.js";
import { createOptionalIndexes, migrateToLatest, optionalIndexStatus } from "../../src/migrations/index.js";
import { PostgresStore } from "../../src/store/index.js";
import { recordPool } from "../../test-support/recorded-pool.js";
import { dumpSchema } from "../../test-support/schema-dump.js";
import { describeEachTarget, describeServer, type TestDatabase } from "../../test-support/targets.js";
import { cliOn } from "../cli/cli.js";

/** What earlier versions did in the step `store-0002-create-indexes`. */
const EARLIER = `create index store_text_idx on store using gin ((case when jsonb_typeof(value) <> 'object' then null
  when octet_length((value - '__sealed__'::text)::text) <= 250000
  then jsonb_to_tsvector('english'::regconfig, value - '__sealed__'::text, '["string"]') end))`;

/** Inserts items of many users: enough for Postgres to use an index, of which a few have the word "dragon". */
async function fill(database: TestDatabase): Promise<void> {
  await database.exec(`
    insert into store (prefix, key, value)
    select 'users.u' || n % 500, n::text, jsonb_build_object('text', case when n % 1000 = 0 then 'a dragon' else 'a cat' end)
    from generate_series(1, 5000) as n;
    analyze store`);
}

describeEachTarget("store-text-index", (target) => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await target.createDatabase();
  });

  it("is not built with the tables; one of an earlier version counts, and is kept when its step is undone", async () => {
    const { kysely, close } = openDatabase(database.source);
    await migrateToLatest(kysely, { with: ["store"] });
    expect(await optionalIndexStatus(kysely)).toMatchObject({ "store-text-index": "missing" });
    await database.exec(EARLIER);
    expect(await optionalIndexStatus(kysely)).toMatchObject({ "store-text-index": "ready" });
    const before = await dumpSchema(database);
    expect((await cliOn(database)("migrate", "down")).stdout).toContain("store-0002-create-indexes");
    await migrateToLatest(kysely);
    expect(await createOptionalIndexes(kysely, { indexes: ["store-text-index"] })).toEqual({
      "store-text-index": "ready",
    });
    expect(await dumpSchema(database)).toEqual(before);
    await close();
  });

  it("changes no result of a search", async () => {
    await using store = new PostgresStore(database.source);
    await store.put(["a"], "1", { text: "Ada drinks green tea", tags: ["drink"] });
    await store.put(["a", "b"], "2", { text: "green dogs and green cats" });
    await store.put(["c"], "3", { text: "nothing", tea: "a key" });
    const searches = [["tea"], ["green dog"], ["green", "auto"], ["tea", "auto"], ["none", "auto"]] as const;
    const results = async () => {
      const found = [];
      for (const namespace of [[], ["a"]]) {
        for (const [query, mode = "text"] of searches) {
          found.push(await store.search(namespace, { query, mode }));
        }
      }
      return found;
    };
    const before = await results();
    expect(before.filter(({ length }) => length > 0).length).toBeGreaterThan(6);
    await cliOn(database)("migrate", "--with", "store-text-index");
    expect(await results()).toEqual(before);
  });
});

describeServer("a search of a store by text", (target) => {
  it("uses the index in a large scope, if it exists in the language of the store", async () => {
    const database = await target.createDatabase();
    const run = cliOn(database);
    await run("migrate", "--with", "store");
    await fill(database);
    await using recording = recordPool(database.source);
    const store = new PostgresStore(recording.pool, { textSearchLanguage: "german", ensureTables: false });
    const planOf = async (namespace: string[]) => {
      recording.sent.splice(0);
      await store.search(namespace, { query: "dragon", mode: "text" });
      const sent = recording.sent.find(({ text }) => text.includes("tsquery"));
      const rows = await database.query<{ "QUERY PLAN": string }>(`explain ${sent?.text ?? ""}`, [
        ...(sent?.parameters ?? []),
      ]);
      return rows.map((row) => row["QUERY PLAN"]).join("\n");
    };
    expect(await planOf(["users"])).not.toContain("store_text_idx");
    expect(await planOf(["users", "u7"])).toContain("store_prefix_idx");
    const build = ["migrate", "--text-search-language", "german"];
    expect(await run(...build, "--with", "store")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("requires --with store-text-index"),
    });
    const { stdout } = await run(...build, "--with", "store-text-index");
    expect(stdout).toContain("ready store-text-index");
    expect(await planOf(["users"])).toContain("store_text_idx");
    expect(await planOf(["users", "u7"])).toContain("store_prefix_idx");
    await store.end();
  });

  it("reads a small scope by its index, also after searches that had to read all items", async () => {
    const database = await target.createDatabase();
    const pool = new pg.Pool({ connectionString: database.source, max: 1 });
    const store = new PostgresStore(pool);
    await store.setup();
    await fill(database);
    // Postgres plans the first five runs for their values. From then on it compares the plan for any values with them.
    for (let n = 0; n < 6; n++) await store.search(["users"], { query: "dragon", mode: "text" });
    await store.search(["users", "u7"], { query: "dragon", mode: "text" });
    const { rows } = await pool.query<{ generic: number }>(
      `select generic_plans::int as generic from pg_prepared_statements where statement like '%tsquery%'`,
    );
    expect(rows).toEqual([{ generic: 0 }]);
    await store.end();
    await pool.end();
  });
});
