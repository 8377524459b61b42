import { randomUUID } from "node:crypto";
import type { PostgresStore } from "../../../src/store/index.js";
import { collect } from "../../../test-support/checkpoints.js";
import type { MethodsOf } from "../../saver/every-call.js";
import type { NamedCall } from "./saver-calls.js";

type Method = Exclude<MethodsOf<PostgresStore>, symbol | "toJSON" | "setup" | "end" | "start" | "stop">;

/** A call of each method. A method without an entry here does not compile. */
const EACH: Record<Method, (store: PostgresStore) => unknown> = {
  get: (store) => store.get(USER, "profile"),
  getMany: (store) =>
    store.getMany(Array.from({ length: 100 }, (_, n) => ({ namespace: USER, key: `${n}` }))),
  put: (store) => store.put(USER, "profile", { name: "Ada", age: 36 }),
  putMany: (store) =>
    store.putMany(
      Array.from({ length: 100 }, (_, n) => ({
        namespace: USER,
        key: `many ${n}`,
        value: { n, text: "tea" },
      })),
    ),
  update: (store) => store.update(USER, "visits", () => ({ count: 1 })),
  delete: (store) => store.delete(USER, "profile"),
  deleteNamespace: (store) => store.deleteNamespace(["users", "gone"]),
  search: (store) => store.search(USER),
  count: (store) => store.count(USER),
  listNamespaces: (store) => store.listNamespaces(),
  batch: (store) =>
    store.batch([
      { namespace: USER, key: "a" },
      { namespace: USER, key: "b", value: { b: 1 } },
      { namespacePrefix: ["users"], limit: 5 },
      { limit: 5, offset: 0 },
    ]),
  watch: async (store) => {
    await store.watch(USER).return(undefined);
  },
  scoped: (store) => store.scoped(["users"]).get(["u1"], "profile"),
  sweep: (store) => store.sweep(),
  sweepExpiredItems: (store) => store.sweepExpiredItems(),
  reembed: () => undefined,
  health: (store) => store.health(),
  exportItems: (store) => collect(store.exportItems()),
  importItems: async (store) => store.importItems(await collect(store.exportItems({ namespace: USER }))),
};

const USER = ["users", "u1", "memories"];

/** Every call of a store, and its searches with each kind of argument. */
export function storeCalls(store: PostgresStore): NamedCall[] {
  const each = Object.entries(EACH).map(([name, call]): NamedCall => [
    name,
    () => Promise.resolve(call(store)),
  ]);
  const searches: readonly (readonly [string[], Parameters<PostgresStore["search"]>[1]])[] = [
    [[], {}],
    [["users"], { limit: 50, offset: 20 }],
    [USER, { filter: { kind: "fact" } }],
    [["users"], { filter: { kind: "fact", rank: { $gte: 5 } } }],
    [[], { filter: { name: { $exists: true } } }],
    [["users"], { offset: 5_000 }],
    [[], { offset: 5_000 }],
    [USER, { query: "music" }],
    [["users"], { query: "music", limit: 100 }],
    [[], { query: "music", unscored: true }],
    [["users"], { query: "music", filter: { kind: "fact" } }],
  ];
  return [
    ...each,
    ...searches.map(([prefix, options]): NamedCall => [
      `search of ${JSON.stringify(prefix)} ${JSON.stringify(options)}`,
      () => store.search(prefix, options),
    ]),
    ["count of all items", () => store.count([])],
    ["count by a filter", () => store.count(["users"], { filter: { kind: "fact" } })],
    ["listNamespaces below", () => store.listNamespaces({ prefix: ["users"], maxDepth: 2 })],
    ["listNamespaces by suffix", () => store.listNamespaces({ suffix: ["memories"], limit: 10 })],
    ["put with ttl", () => store.put(USER, "short", { a: 1 }, undefined, { ttl: 5 })],
    ["put if version", () => store.put(USER, randomUUID(), { a: 1 }, undefined, { ifVersion: 0 })],
  ];
}
