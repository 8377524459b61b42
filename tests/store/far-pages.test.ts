import { beforeEach, expect, it } from "@jest/globals";
import { PostgresStore } from "../../src/store/index.js";
import { recordPool } from "../../test-support/recorded-pool.js";
import { describeEachTarget, describeServer, type TestDatabase } from "../../test-support/targets.js";

const COUNT = 2_400;

/**
 * Inserts items in two namespaces and one that only begins like theirs. One in ten has expired, another one will, and some were stored at the
 * same time.
 */
async function fill(database: TestDatabase): Promise<void> {
  await database.exec(`
    insert into store (prefix, key, value, updated_at, expires_at, ttl_minutes)
    select (array['a', 'a.b', 'ab'])[1 + n % 3], 'k' || n, '{}', timestamptz '2024-01-01' + n / 2 * interval '1 s',
      case n % 10 when 0 then now() - interval '1 hour' when 1 then now() + interval '1 hour' end, case when n % 10 < 2 then 5 end
    from generate_series(1, ${COUNT * 2}) as n`);
}

/** The keys of the items that have not expired, in the order of a search. */
async function keysIn(database: TestDatabase, condition: string): Promise<readonly string[]> {
  const rows = await database.query<{ key: string }>(`
    select key from store where coalesce(expires_at > now(), true) and ${condition}
    order by updated_at desc, prefix collate "C", key collate "C"`);
  return rows.map(({ key }) => key);
}

describeEachTarget("a page far behind the newest item", (target) => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await target.createDatabase();
  });

  it("follows the one before, without expired items and those of other namespaces", async () => {
    await using store = new PostgresStore(database.source);
    await store.setup();
    await fill(database);
    const pagesOf = async (namespace: string[], refreshTtl: boolean) => {
      const keys: string[] = [];
      // To the last page: somewhere between, the way of reading changes.
      for (let offset = 0; ; offset += 450) {
        const page = await store.search(namespace, { limit: 450, offset, refreshTtl });
        if (page.length === 0) return keys;
        keys.push(...page.map(({ key }) => key));
      }
    };
    expect(await pagesOf([], false)).toEqual(await keysIn(database, "true"));
    const below = await keysIn(database, "(prefix = 'a' or prefix like 'a.%')");
    expect(below.length).toBeGreaterThan(2_000);
    expect(await pagesOf(["a"], false)).toEqual(below);
    expect(await pagesOf(["a"], true)).toEqual(below);
    expect(await store.search(["a", "b"], { offset: 2_000 })).toEqual([]);
  });
});

describeServer("a search that skips many items", (target) => {
  it.each([[[]], [["a"]]])("reads only the index for those in %j", async (namespace) => {
    const database = await target.createDatabase();
    await using recording = recordPool(database.source);
    const store = new PostgresStore(recording.pool);
    await store.setup();
    await fill(database);
    await database.query("vacuum analyze store");
    recording.sent.splice(0);
    await store.search(namespace, { offset: 2_000 });
    const sent = recording.sent.find(({ text }) => text.includes("updated_at"));
    const rows = await database.query<{ "QUERY PLAN": string }>(`explain ${sent?.text ?? ""}`, [
      ...(sent?.parameters ?? []),
    ]);
    const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
    expect(plan).toContain("Index Only Scan using store_updated_idx");
    await store.end();
  });
});
