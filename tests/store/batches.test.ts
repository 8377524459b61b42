import { expect, it } from "@jest/globals";
import type { Operation } from "@langchain/langgraph-checkpoint";
import { SerializationError } from "../../src/index.js";
import { describeAnyTarget, describeEachTarget, describeServer } from "../../test-support/targets.js";
import { useStore } from "./stored.js";
import { VersionConflictError } from "../../src/store/index.js";

describeEachTarget("a batch", (target) => {
  const suite = useStore(target);

  it("reads the state before its writes, of which the last one of a key counts, and keeps the order of its operations", async () => {
    const { store } = suite;
    await store.put(["b"], "old", { n: 0 });
    const results = await store.batch([
      { namespace: ["b"], key: "new", value: { n: 1 } },
      { namespace: ["b"], key: "new" },
      { namespacePrefix: ["b"], limit: 9 },
      { namespace: ["b"], key: "new", value: { n: 2 } },
      { namespace: ["b"], key: "old", value: null },
      { limit: 9, offset: 0 },
      { namespace: ["b"], key: "old" },
      { namespace: ["b"], key: "gone", value: { n: 1 } },
      { namespace: ["b"], key: "gone", value: null },
    ]);
    expect(results).toMatchObject([
      undefined,
      null,
      [{ key: "old" }],
      undefined,
      undefined,
      [["b"]],
      { value: { n: 0 } },
      undefined,
      undefined,
    ]);
    expect(await store.search(["b"])).toMatchObject([{ key: "new", value: { n: 2 } }]);
  });

  it("lists the namespaces that fulfil all of several conditions of one type", async () => {
    const { store } = suite;
    await store.put(["c", "d", "e"], "k", {});
    const listed = (...prefixes: string[][]) =>
      store.batch([
        { matchConditions: prefixes.map((path) => ({ matchType: "prefix", path })), limit: 9, offset: 0 },
      ]);
    expect(await listed(["c"], ["c", "*", "e"])).toEqual([[["c", "d", "e"]]]);
    expect(await listed(["c"], ["d"])).toEqual([[]]);
    expect(await listed(["c", "d"], ["c", "e"])).toEqual([[]]);
  });

  it("stores nothing where one of its values can't be stored or one of its arguments is wrong", async () => {
    const { store } = suite;
    const good: Operation = { namespace: ["b"], key: "good", value: {} };
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    await expect(store.batch([good, { namespace: ["b"], key: "k", value: { f: () => 1 } }])).rejects.toThrow(
      SerializationError,
    );
    await expect(store.batch([good, { namespace: ["b"], key: "k", value: cyclic }])).rejects.toThrow(
      SerializationError,
    );
    await expect(store.batch([good, { namespacePrefix: ["b"], limit: -1 }])).rejects.toThrow("limit");
    expect(await store.search([])).toEqual([]);
  });

  it("answers any number of operations, equal ones among them", async () => {
    const { store } = suite;
    const namespace = ["many"];
    const puts = Array.from({ length: 500 }, (_, n): Operation => ({
      namespace,
      key: `k${n % 250}`,
      value: { n },
    }));
    await store.batch(puts);
    const gets = Array.from({ length: 300 }, (_, n): Operation => ({ namespace, key: `k${n}` }));
    const read = await store.batch([...gets, ...gets]);
    expect(read.map((item) => (item as { value: { n: number } } | null)?.value.n)).toEqual(
      [...gets, ...gets].map((_, n) => (n % 300 < 250 ? (n % 300) + 250 : undefined)),
    );
    expect(await store.batch([])).toEqual([]);
  });
});

describeAnyTarget("a version", (target) => {
  const suite = useStore(target);

  it("decides whether an item is stored, in a batch about all of it", async () => {
    const { store } = suite;
    const put = (n: number, ifVersion: number) => store.put(["v"], "k", { n }, undefined, { ifVersion });
    await expect(put(1, 1)).rejects.toMatchObject({
      currentVersion: 0,
      expectedVersion: 1,
      key: "k",
      namespace: ["v"],
    });
    await put(1, 0);
    await expect(put(2, 0)).rejects.toMatchObject({ currentVersion: 1 });
    await put(2, 1);
    await expect(put(3, 1)).rejects.toBeInstanceOf(VersionConflictError);
    const conditional = { namespace: ["v"], key: "k", value: { n: 9 }, ifVersion: 1 };
    const other = { namespace: ["v"], key: "other", value: {} };
    await expect(store.batch([other, conditional])).rejects.toMatchObject({ currentVersion: 2 });
    expect(await store.count([])).toBe(1);
    await store.batch([other, { ...conditional, ifVersion: 2 }]);
    expect((await store.get(["v"], "k"))?.value).toEqual({ n: 9 });
  });

  it("of an expired item counts as none", async () => {
    const { store, database } = suite;
    await store.put(["v"], "k", { n: 1 }, undefined, { ttl: 1 });
    await database.exec("update store set expires_at = now() - interval '1 second'");
    await expect(store.put(["v"], "k", { n: 2 }, undefined, { ifVersion: 1 })).rejects.toMatchObject({
      currentVersion: 0,
    });
    await store.put(["v"], "k", { n: 2 }, undefined, { ifVersion: 0 });
    expect((await store.get(["v"], "k"))?.value).toEqual({ n: 2 });
  });
});

describeServer("concurrent writes", (target) => {
  const suite = useStore(target);

  it("lose no update", async () => {
    const { store } = suite;
    await Promise.all(
      Array.from({ length: 12 }, () =>
        store.update<{ n: number }>(["u"], "counter", (value) => ({ n: (value?.n ?? 0) + 1 })),
      ),
    );
    expect((await store.get(["u"], "counter"))?.value).toEqual({ n: 12 });
  });

  it("of the same items in opposite orders never deadlock", async () => {
    const store = suite.open({ retry: false });
    const keys = Array.from({ length: 30 }, (_, n) => `k${n}`);
    const writes = (order: readonly string[]): Operation[] =>
      order.map((key, n) => ({ namespace: ["d"], key, value: n % 3 === 0 ? null : { n } }));
    await store.batch(writes(keys).map((operation) => ({ ...operation, value: {} })));
    const rounds = Array.from({ length: 40 }, (_, n) =>
      store.batch(writes(n % 2 === 0 ? keys : keys.toReversed())),
    );
    await expect(Promise.all(rounds)).resolves.toHaveLength(40);
  });
});
