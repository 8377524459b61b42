import { expect, it } from "@jest/globals";
import { describeServer } from "../../test-support/targets.js";
import { useCache } from "./cached.js";

describeServer("health of a cache", (target) => {
  const suite = useCache(target);

  it("is ok where entries can be stored", async () => {
    expect(await suite.cache.health()).toMatchObject({ ok: true, schema: { upToDate: true, pending: [] } });
  });

  it("is not ok without the table, and names the command that creates it, as every call does", async () => {
    const cache = suite.open({ schema: "elsewhere", ensureTables: false, onError: "throw" });
    const { ok, error } = await cache.health();
    expect({ ok, code: error?.code }).toEqual({ ok: false, code: "MIGRATION_REQUIRED" });
    expect(error?.message).toContain("migrate --schema elsewhere --with cache");
    for (const call of [() => cache.get([[["a"], "k"]]), () => cache.clear([])]) {
      await expect(call()).rejects.toThrow(/call cache\.setup\(\), or run .* --with cache/);
    }
  });
});
