import type { PostgresCache } from "../../../src/cache/index.js";
import type { MethodsOf } from "../../saver/every-call.js";
import type { NamedCall } from "./saver-calls.js";

type Method = Exclude<MethodsOf<PostgresCache>, symbol | "toJSON" | "setup" | "end">;

/** A call of each method. A method without an entry here does not compile. */
const EACH: Record<Method, (cache: PostgresCache) => unknown> = {
  get: (cache) => cache.get(Array.from({ length: 100 }, (_, n) => [["nodes"], `${n}`])),
  set: (cache) =>
    cache.set(Array.from({ length: 100 }, (_, n) => ({ key: [["nodes"], `${n}`], value: n, ttl: 60 }))),
  clear: async (cache) => {
    await cache.clear([["nodes"], ["others"]]);
    await cache.clear([]);
  },
  clearPrefix: (cache) => cache.clearPrefix(["nodes"]),
  wrap: (cache) => cache.wrap(async (n: number) => Promise.resolve(n), { namespace: ["wrapped"] })(1),
  sweep: (cache) => cache.sweep(),
  health: (cache) => cache.health(),
};

/** Every call of a cache. */
export function cacheCalls(cache: PostgresCache): NamedCall[] {
  return Object.entries(EACH).map(([name, call]) => [name, () => Promise.resolve(call(cache))]);
}
