import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { PostgresCache } from "../../src/cache/index.js";
import { RowSecurityError } from "../../src/index.js";
import { PostgresStore } from "../../src/store/index.js";
import { describeEachTarget, onOneServer } from "../../test-support/targets.js";
import { RecordingLogger } from "../telemetry/recording-logger.js";
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

  it("name the item that a tenant may not write, and the namespaces that it may", async () => {
    await tenancy.operate((await documentedSql()).setUpStores);
    const [acme, bolt] = [storeOf("acme"), storeOf("bolt")];
    const namespace = ["bolt", "users"];
    await bolt.put(namespace, "k", { of: "bolt" });
    const lines: string[] = [];
    for await (const line of bolt.exportItems()) lines.push(line);
    const own = { namespace: ["acme"], key: "k", value: {} };
    const calls = {
      put: () => acme.put(namespace, "k", {}),
      "put of a scoped store": () => acme.scoped(["bolt"]).put(["users"], "k", {}),
      "put of a version": () => acme.put(namespace, "k", {}, undefined, { ifVersion: 0 }),
      putMany: () => acme.putMany([own, { ...own, namespace }]),
      "a batch that deletes": () => acme.batch([own, { namespace, key: "k", value: null }]),
      importItems: () => acme.importItems(lines),
    };
    const rule =
      'item "k" of namespace ["bolt","users"]: the tenant "acme" may only write namespaces whose first label is "acme" (docs/tenants.md';
    for (const [what, call] of Object.entries(calls)) {
      const error: unknown = await call().catch((reason: unknown) => reason);
      expect([what, error]).toMatchObject([what, { code: "PERMISSION_DENIED", sqlState: "42501" }]);
      expect(String(error)).toContain(rule);
    }
    await expect(storeOf().put(["acme"], "k", {})).rejects.toThrow("the call has no tenantId");
    const logger = new RecordingLogger();
    await new PostgresCache(tenancy.source, { logger }).set([{ key: [["n"], "k"], value: 1 }]);
    expect(JSON.stringify(logger.at("error"))).toContain("the call has no tenantId");
    expect(await acme.count([])).toBe(0);
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
