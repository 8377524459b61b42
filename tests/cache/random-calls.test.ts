import { expect, it } from "@jest/globals";
import type { CacheFullKey } from "@langchain/langgraph-checkpoint";
import fc from "fast-check";
import type { PostgresCache } from "../../src/cache/index.js";
import { runs } from "../../test-support/runs.js";
import { describeEachTarget } from "../../test-support/targets.js";
import { useCache } from "./cached.js";

/** Labels that break other caches, few enough to collide. */
const label = fc.constantFrom("a", "b", "a,b", 'a","b', "", "[", "\\", "%", "toString", "\0", "\ud800", "é");
const namespace = fc.array(label, { maxLength: 3 });
const key = fc.tuple(namespace, fc.constantFrom("k", "l", "", "toString", "k'", "é"));
const value = fc.jsonValue({ maxDepth: 2 });
const ttl = fc.constantFrom(undefined, 0, -1, 3_600, Infinity);
const prefix = fc.integer({ min: 0, max: 1 });

const call = fc.oneof(
  fc.record({
    kind: fc.constant("set" as const),
    prefix,
    pairs: fc.array(fc.tuple(key, value, ttl), { maxLength: 5 }),
  }),
  fc.record({ kind: fc.constant("get" as const), prefix, keys: fc.array(key, { maxLength: 8 }) }),
  fc.record({
    kind: fc.constant("clear" as const),
    prefix,
    namespaces: fc.array(namespace, { maxLength: 2 }),
  }),
  fc.record({ kind: fc.constant("clearPrefix" as const), prefix, namespace }),
);

type Call = typeof call extends fc.Arbitrary<infer T> ? T : never;

/** A cache as a plain map. */
class Model {
  #entries = new Map<string, unknown>();

  set(pairs: readonly [CacheFullKey, unknown, number | undefined][]): void {
    for (const [at, stored, seconds] of pairs) {
      if (seconds !== undefined && seconds <= 0) this.#entries.delete(JSON.stringify(at));
      else this.#entries.set(JSON.stringify(at), stored);
    }
  }

  get(keys: readonly CacheFullKey[]): { key: CacheFullKey; value: unknown }[] {
    const distinct = new Map(keys.map((at) => [JSON.stringify(at), at]));
    return [...distinct].flatMap(([id, at]) =>
      this.#entries.has(id) ? [{ key: at, value: this.#entries.get(id) }] : [],
    );
  }

  keys(): CacheFullKey[] {
    return [...this.#entries.keys()].map((id) => JSON.parse(id) as CacheFullKey);
  }

  clear(isCleared: (namespace: readonly string[]) => boolean): void {
    for (const id of [...this.#entries.keys()]) {
      const [labels] = JSON.parse(id) as CacheFullKey;
      if (isCleared(labels)) this.#entries.delete(id);
    }
  }
}

describeEachTarget("random calls of two caches in one table", (target) => {
  const suite = useCache(target);

  it("return what plain maps return", async () => {
    const caches = [suite.cache, suite.open({ keyPrefix: "graph" })] as const;
    const property = fc.asyncProperty(fc.array(call, { maxLength: 15 }), async (calls) => {
      await suite.database.exec("delete from cache_entries");
      const models = [new Model(), new Model()] as const;
      for (const each of calls) {
        const [cache, model] = each.prefix === 0 ? [caches[0], models[0]] : [caches[1], models[1]];
        await apply(cache, model, each);
      }
      // What no call was about is still there.
      for (const [nth, cache] of caches.entries()) {
        const all = models[nth]?.keys() ?? [];
        expect(await cache.get(all)).toEqual(models[nth]?.get(all));
      }
    });
    await fc.assert(property, runs(25));
  });
});

async function apply(cache: PostgresCache, model: Model, each: Call): Promise<void> {
  switch (each.kind) {
    case "set":
      model.set(each.pairs);
      await cache.set(
        each.pairs.map(([at, stored, seconds]) => ({
          key: at,
          value: stored,
          ...(seconds !== undefined && { ttl: seconds }),
        })),
      );
      return;
    case "get":
      expect(await cache.get(each.keys)).toEqual(model.get(each.keys));
      return;
    case "clear": {
      const cleared = new Set(each.namespaces.map((labels) => JSON.stringify(labels)));
      model.clear((labels) => cleared.size === 0 || cleared.has(JSON.stringify(labels)));
      await cache.clear(each.namespaces);
      return;
    }
    case "clearPrefix":
      model.clear((labels) => each.namespace.every((part, n) => labels[n] === part));
      await cache.clearPrefix(each.namespace);
      return;
  }
}
