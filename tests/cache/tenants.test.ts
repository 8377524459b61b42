import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type { CacheFullKey } from "@langchain/langgraph-checkpoint";
import { PostgresCache, type PostgresCacheOptions } from "../../src/cache/index.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { documentedSql } from "../tenants/documented-sql.js";

const KEY: CacheFullKey = [["ns"], "k"];

describeServer("a cache with a tenantId", (target) => {
  const role = `service_${randomBytes(8).toString("hex")}`;
  let database: TestDatabase<string>;
  let url: string;

  beforeAll(async () => {
    database = await target.createDatabase();
    const owner = new PostgresCache(database.source);
    await owner.setup();
    await owner.end();
    await database.exec(`create role ${role} login password 'secret'`);
    await database.exec((await documentedSql()).setUpStores);
    await database.exec(`grant select, insert, update, delete on cache_entries to ${role};
      grant select on cache_kysely_migration to ${role}`);
    const asRole = new URL(database.source);
    asRole.username = role;
    asRole.password = "secret";
    url = asRole.href;
  });

  // Roles belong to the whole server, and outlive the database.
  afterAll(() => database.exec(`drop owned by ${role}; drop role ${role}`));

  async function using<T>(
    options: PostgresCacheOptions,
    use: (cache: PostgresCache) => Promise<T>,
  ): Promise<T> {
    await using cache = new PostgresCache(url, { deadlineMs: 120_000, ...options });
    return await use(cache);
  }

  it("sees the entries of its tenant and no others, in the set-up of docs/tenants.md", async () => {
    const tenants = ["acme", "bolt"];
    for (const tenantId of tenants) {
      await using({ tenantId, keyPrefix: "graph" }, (cache) => cache.set([{ key: KEY, value: tenantId }]));
    }
    for (const tenantId of tenants) {
      const found = await using({ tenantId, keyPrefix: "graph" }, (cache) => cache.get([KEY]));
      expect(found).toEqual([{ key: KEY, value: tenantId }]);
    }
    const once = await using({ tenantId: "acme", onError: "throw" }, (cache) =>
      cache.wrap(() => "computed", { namespace: ["ns"] })(),
    );
    expect(once).toBe("computed");
    expect(await using({}, (cache) => cache.get([KEY]))).toEqual([]);
    await using({ tenantId: "acme", keyPrefix: "graph", maxEntries: 1 }, async (cache) => {
      await cache.sweep();
      await cache.clear([]);
    });
    expect(await database.query("select namespace from cache_entries order by 1")).toEqual([
      { namespace: 'acme:["ns"]' },
      { namespace: 'bolt:"graph"["ns"]' },
    ]);
  });

  it("finds and stores nothing where the database does not keep tenants apart", async () => {
    const cache = new PostgresCache(database.source, { tenantId: "acme", onError: "throw" });
    await expect(cache.get([KEY])).rejects.toMatchObject({ code: "ROW_SECURITY_INACTIVE" });
    await cache.set([{ key: KEY, value: 1 }]);
    expect(cache.counts).toMatchObject({ stored: 0, skipped: 2 });
    await cache.end();
  });
});
