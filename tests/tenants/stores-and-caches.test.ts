import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { PostgresCache } from "../../src/cache/index.js";
import { RowSecurityError } from "../../src/index.js";
import { PostgresStore } from "../../src/store/index.js";
import { describeEachTarget, onOneServer } from "../../test-support/targets.js";
import { documentedSql } from "./documented-sql.js";
import { NO_ROW_SECURITY, openTenancy, type Tenancy } from "./tenancy.js";

onOneServer(NO_ROW_SECURITY, describeEachTarget)("stores and caches of tenants", (target) => {
  let tenancy: Tenancy;

  beforeEach(async () => {
    tenancy = await openTenancy(target, { with: ["store", "cache"] });
  });
  afterEach(() => tenancy.close());

  const storeOf = (tenantId?: string) => new PostgresStore(tenancy.source, { tenantId });
  const cacheOf = (tenantId?: string) => new PostgresCache(tenancy.source, { tenantId });

  it("refuse to work before row-level security is set up", async () => {
    await expect(storeOf("acme").put(["acme"], "k", {})).rejects.toBeInstanceOf(RowSecurityError);
    await expect(cacheOf("acme").clear([])).rejects.toBeInstanceOf(RowSecurityError);
    expect(await storeOf("acme").health()).toMatchObject({
      ok: false,
      error: { code: "ROW_SECURITY_INACTIVE" },
    });
  });

  it("see the items of their tenant only, and write no others", async () => {
    await tenancy.operate((await documentedSql()).setUpStores);
    const [acme, bolt] = [storeOf("acme"), storeOf("bolt")];
    await acme.put(["acme"], "k", { of: "acme" });
    await acme.scoped(["acme"]).put(["users"], "k", { of: "acme" });
    await bolt.put(["bolt", "users"], "k", { of: "bolt" });
    const namespaces = [["acme"], ["acme", "users"]];
    expect(await acme.listNamespaces()).toEqual(namespaces);
    expect(
      (await acme.search([], { filter: { of: { $exists: true } } })).map(({ namespace }) => namespace).sort(),
    ).toEqual(namespaces);
    expect(await acme.search([], { query: "bolt", unscored: false })).toEqual([]);
    expect(await acme.get(["bolt", "users"], "k")).toBeNull();
    expect(await acme.deleteNamespace(["bolt"])).toBe(0);
    await acme.delete(["bolt", "users"], "k");
    for (const namespace of [["bolt", "users"], ["acmes"]])
      await expect(acme.put(namespace, "k", {})).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
    expect(await bolt.count([])).toBe(1);
    expect(await storeOf().count([])).toBe(0);
    expect(await acme.health()).toMatchObject({ ok: true });
  });

  it("share no cached entry, though their namespaces and keys are equal", async () => {
    await tenancy.operate((await documentedSql()).setUpStores);
    const [acme, bolt] = [cacheOf("acme"), cacheOf("bolt")];
    await acme.set([{ key: [["n"], "k"], value: "of acme" }]);
    await bolt.set([{ key: [["n"], "k"], value: "of bolt" }]);
    const valuesOf = async (cache: PostgresCache) =>
      (await cache.get([[["n"], "k"]])).map(({ value }) => value);
    expect(await valuesOf(acme)).toEqual(["of acme"]);
    await acme.clear([]);
    expect([await valuesOf(acme), await valuesOf(bolt)]).toEqual([[], ["of bolt"]]);
    expect(await tenancy.asOwner("select from cache_entries")).toHaveLength(1);
  });
});
