import { beforeAll, expect, it } from "@jest/globals";
import { InvalidNamespaceError } from "@langchain/langgraph-checkpoint";
import { CheckpointError } from "../../src/index.js";
import type { PostgresStore } from "../../src/store/index.js";
import { describeAnyTarget } from "../../test-support/targets.js";
import { cycle, LONG_KEY, throwing, throwingProxy } from "../saver/bad-input/bad-input.js";
import { snapshotOf } from "../saver/bad-input/snapshot.js";
import { useStore } from "./stored.js";

/** What is wrong, by a name. */
type Bad = Readonly<Record<string, unknown>>;

const NAMESPACES: Bad = {
  "no namespace": undefined,
  "null as namespace": null,
  "text as namespace": "a",
  "a label that is empty": ["a", ""],
  "a label with a period": ["a.b"],
  "a label with U+0000": ["a\0"],
  "a label with a lone surrogate": ["\ud800"],
  "a number as label": [1],
  "a namespace that is too long": [LONG_KEY],
  "a Proxy that throws as namespace": throwingProxy(),
};
const ROOTS: Bad = { "the root": [], "the root of LangGraph": ["langgraph"] };
const KEYS: Bad = {
  "no key": undefined,
  "null as key": null,
  "a number as key": 1,
  "a key with U+0000": "\0",
  "a key with a lone surrogate": "\udc00",
  "a key that is too long": LONG_KEY,
};
const VALUES: Bad = {
  "no value": undefined,
  "text as value": "a",
  "a list as value": [1],
  "a Map as value": new Map([["a", 1]]),
  "a function in the value": { a: () => 1 },
  "a symbol in the value": { a: Symbol("a") },
  "a cycle in the value": cycle(),
  "a value of 5,000 levels": levels("a", 5_000),
  "a getter that throws in the value": throwing("a"),
  "a Proxy that throws as value": throwingProxy(),
};
/** Objects in one another. */
function levels(key: string, count: number): Record<string, unknown> {
  let value: Record<string, unknown> = {};
  for (let level = 1; level < count; level += 1) value = { [key]: value };
  return value;
}

const TTLS: Bad = {
  "no time": 0,
  "a negative time": -1,
  "NaN as time": Number.NaN,
  "text as time": "5",
  "an infinite time": Infinity,
  "a time beyond all dates": 1e300,
};
const PAGES: Bad = {
  "a negative limit": { limit: -1 },
  "half a limit": { limit: 1.5 },
  "text as limit": { limit: "1" },
  "NaN as offset": { offset: Number.NaN },
  "an infinite offset": { offset: Infinity },
  "a limit beyond 2^53": { limit: 2 ** 60 },
};
const FILTERS: Bad = {
  "text as filter": "a",
  "a list as filter": [{ a: 1 }],
  "an unknown operator": { a: { $regex: "a" } },
  "mixed operators": { a: { $gt: 1, b: 1 } },
  "a function in a filter": { a: () => 1 },
  "a cycle in a filter": { a: cycle() },
  "an operand of 5,000 levels": levels("a", 5_000),
  "conditions of 5,000 levels": levels("$not", 5_000),
  "a Proxy that throws as filter": throwingProxy(),
  "a getter that throws in a filter": throwing("a"),
  "a lone surrogate in a comparison": { a: { $gt: "\ud800" } },
};
const OPTIONS: Bad = {
  "text as options": "all",
  "a Proxy that throws as options": throwingProxy(),
  "a misspelt option": { limits: 1 },
  "text as signal": { signal: "abort" },
};

type Call = (store: PostgresStore) => Promise<unknown>;

/** Calls with one bad argument each. The arguments have the types of good ones. */
function calls(): Record<string, Call> {
  const table: Record<string, Call> = {};
  const add = (method: string, bad: Bad, call: (store: PostgresStore, bad: never) => Promise<unknown>) => {
    for (const [what, value] of Object.entries(bad))
      table[`${method} with ${what}`] = (store) => call(store, value as never);
  };
  add("get", NAMESPACES, (store, ns) => store.get(ns, "k"));
  add("get", KEYS, (store, key) => store.get(["a"], key));
  add("get", OPTIONS, (store, options) => store.get(["a"], "k", options));
  add("getMany", NAMESPACES, (store, namespace) => store.getMany([{ namespace, key: "k" }]));
  add("getMany", KEYS, (store, key) => store.getMany([{ namespace: ["a"], key }]));
  const lists: Bad = {
    "no list": undefined,
    "null in the list": [null],
    "a Proxy that throws": throwingProxy(),
  };
  add("getMany", { ...lists, "a Proxy that throws in the list": [throwingProxy()] }, (store, keys) =>
    store.getMany(keys),
  );
  add("put", { ...NAMESPACES, ...ROOTS }, (store, ns) => store.put(ns, "k", {}));
  add("put", KEYS, (store, key) => store.put(["a"], key, {}));
  add("put", { "a key that is too long for its namespace": "k".repeat(2_000) }, (store, key) =>
    store.put(["n".repeat(700)], key, {}),
  );
  add("put", { ...VALUES, "null as value": null }, (store, value) => store.put(["a"], "k", value));
  add("put", TTLS, (store, ttl) => store.put(["a"], "k", {}, undefined, { ttl }));
  add("put", OPTIONS, (store, options) => store.put(["a"], "k", {}, undefined, options));
  add("put", { "a negative version": -1, "half a version": 0.5 }, (store, ifVersion) =>
    store.put(["a"], "k", {}, undefined, { ifVersion }),
  );
  add("putMany", { ...NAMESPACES, ...ROOTS }, (store, namespace) =>
    store.putMany([
      { namespace: ["a"], key: "good", value: {} },
      { namespace, key: "k", value: {} },
    ]),
  );
  add("putMany", VALUES, (store, value) =>
    store.putMany([
      { namespace: ["a"], key: "good", value: {} },
      { namespace: ["a"], key: "k", value },
    ]),
  );
  add("putMany", lists, (store, items) => store.putMany(items));
  add("putMany", TTLS, (store, ttl) => store.putMany([{ namespace: ["a"], key: "k", value: {}, ttl }]));
  add("update", { ...NAMESPACES, ...ROOTS }, (store, ns) => store.update(ns, "k", () => ({})));
  // Awaiting a Proxy that throws is as if the caller's function threw.
  const returned = Object.fromEntries(Object.entries(VALUES).filter(([what]) => !what.includes("Proxy")));
  add("update", returned, (store, value) => store.update(["a"], "k", () => value));
  add("delete", NAMESPACES, (store, ns) => store.delete(ns, "k"));
  add("delete", KEYS, (store, key) => store.delete(["a"], key));
  add("delete", OPTIONS, (store, options) => store.delete(["a"], "k", options));
  add("deleteNamespace", { ...NAMESPACES, ...ROOTS }, (store, ns) => store.deleteNamespace(ns));
  add("search", NAMESPACES, (store, ns) => store.search(ns));
  add("search", { ...OPTIONS, ...PAGES }, (store, options) => store.search(["a"], options));
  add("search", FILTERS, (store, filter) => store.search(["a"], { filter }));
  add("search", { "a number as query": 1 }, (store, query) => store.search(["a"], { query }));
  add("count", NAMESPACES, (store, ns) => store.count(ns));
  add("count", OPTIONS, (store, options) => store.count(["a"], options));
  add("count", FILTERS, (store, filter) => store.count(["a"], { filter }));
  add("listNamespaces", { ...OPTIONS, ...PAGES }, (store, options) => store.listNamespaces(options));
  add("listNamespaces", { "no depth": 0, "half a depth": 1.5 }, (store, maxDepth) =>
    store.listNamespaces({ maxDepth }),
  );
  // No prefix is no condition.
  const conditions = Object.fromEntries(
    Object.entries(NAMESPACES).filter(([, value]) => value !== undefined),
  );
  add("listNamespaces by a prefix", conditions, (store, prefix) => store.listNamespaces({ prefix }));
  add("listNamespaces by a suffix", conditions, (store, suffix) => store.listNamespaces({ suffix }));
  add("batch", { "no operations": undefined, "null as operations": null }, (store, operations) =>
    store.batch(operations),
  );
  const operations: Bad = {
    "null as operation": null,
    "text as operation": "get",
    "a Proxy that throws": throwingProxy(),
  };
  add("batch", operations, (store, operation) =>
    store.batch([{ namespace: ["a"], key: "good", value: {} }, operation]),
  );
  add("a put of a batch", { ...NAMESPACES, ...ROOTS }, (store, namespace) =>
    store.batch([
      { namespace: ["a"], key: "good", value: {} },
      { namespace, key: "k", value: {} },
    ]),
  );
  add("a put of a batch", VALUES, (store, value) =>
    store.batch([
      { namespace: ["a"], key: "good", value: {} },
      { namespace: ["a"], key: "k", value },
    ]),
  );
  add("a search of a batch", FILTERS, (store, filter) => store.batch([{ namespacePrefix: ["a"], filter }]));
  add("reembed", { ...OPTIONS, "null as options": null }, (store, options) => store.reembed(options));
  return table;
}

describeAnyTarget("bad input of a store", (target) => {
  const suite = useStore(target);
  let snapshot: () => Promise<object>;

  beforeAll(async () => {
    snapshot = await snapshotOf(suite.database);
  });

  it.each(Object.entries(calls()))(
    "is refused by an error of ours, and changes nothing: %s",
    async (_, call) => {
      const before = await snapshot();
      const refusal = await call(suite.store).then(
        () => "not refused",
        (error: unknown) => error,
      );
      if (!(refusal instanceof InvalidNamespaceError || refusal instanceof RangeError))
        expect(refusal).toBeInstanceOf(CheckpointError);
      expect(refusal).not.toHaveProperty("sqlState");
      expect(await snapshot()).toEqual(before);
    },
  );

  it("of a value or an operand that can't be stored names the reason and the place", async () => {
    const { store } = suite;
    const list: unknown[] = [];
    list.push({ again: list });
    class Endless {
      toJSON(): unknown {
        return new Endless();
      }
    }
    const reasons: [inner: unknown, path: string, reason: string][] = [
      [list, "[0].again", "refers back to an object around it: a cycle can't be stored"],
      [new Endless(), "", "is nested deeper than 1000 levels of JSON"],
      [levels("b", 5_000), ".b".repeat(999), "is nested deeper than 1000 levels of JSON"],
    ];
    for (const [inner, path, reason] of reasons) {
      const calls = {
        value: () => store.put(["a"], "k", { a: inner }),
        filter: () => store.search(["a"], { filter: { a: inner } }),
      };
      for (const [whole, call] of Object.entries(calls)) {
        const refusal: unknown = await call().catch((error: unknown) => error);
        expect(refusal).toMatchObject({ code: "SERIALIZATION_FAILED", path: `${whole}.a${path}` });
        expect(String(refusal)).toContain(reason);
      }
    }
    await expect(store.count([], { filter: levels("$not", 5_000) })).rejects.toThrow(
      "deeper than 1000 levels",
    );
  });
});
