import { afterAll, beforeAll, expect, it } from "@jest/globals";
import fc from "fast-check";
import pg from "pg";
import { PostgresStore, VersionConflictError } from "../../src/store/index.js";
import { runs } from "../../test-support/runs.js";
import { describeEachTarget, describeServer, type TestDatabase } from "../../test-support/targets.js";

const NAMESPACES = [["a"], ["a", "b"], ["ab"]];
const KEYS = ["1", "2"];

interface Item {
  readonly namespace: string[];
  readonly key: string;
}

/** A call, and what it does to the numbers of items when no other one runs. */
interface Step {
  readonly kind: string;
  readonly call: (store: PostgresStore) => Promise<unknown>;
  readonly apply: (items: Map<string, number>) => void;
}

const idOf = ({ namespace, key }: Item): string => JSON.stringify([namespace, key]);

const anyItem = fc.record({ namespace: fc.constantFrom(...NAMESPACES), key: fc.constantFrom(...KEYS) });
const anyNumber = fc.integer({ min: 1, max: 99 });
const anyWrite = fc.record({ item: anyItem, n: fc.option(anyNumber) });

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  anyWrite.map(({ item, n }): Step => ({
    kind: n === null ? "delete" : "put",
    call: (store) =>
      n === null ? store.delete(item.namespace, item.key) : store.put(item.namespace, item.key, { n }),
    apply: (items) => {
      write(items, item, n);
    },
  })),
  fc.array(anyWrite, { minLength: 1, maxLength: 3 }).map((writes): Step => ({
    kind: "batch",
    call: (store) =>
      store.batch(writes.map(({ item, n }) => ({ ...item, value: n === null ? null : { n } }))),
    apply: (items) => {
      for (const { item, n } of writes) write(items, item, n);
    },
  })),
  fc.array(fc.tuple(anyItem, anyNumber), { minLength: 1, maxLength: 3 }).map((puts): Step => ({
    kind: "putMany",
    call: (store) => store.putMany(puts.map(([item, n]) => ({ ...item, value: { n } }))),
    apply: (items) => {
      for (const [item, n] of puts) write(items, item, n);
    },
  })),
  fc.tuple(anyItem, anyNumber).map(([item, n]): Step => ({
    kind: "put of a new item",
    call: (store) =>
      store.put(item.namespace, item.key, { n }, undefined, { ifVersion: 0 }).catch(ignoreConflict),
    apply: (items) => {
      if (!items.has(idOf(item))) write(items, item, n);
    },
  })),
  anyItem.map((item): Step => ({
    kind: "update",
    call: (store) =>
      store.update<{ n: number }>(item.namespace, item.key, async (value) =>
        Promise.resolve({ n: (value?.n ?? 0) + 100 }),
      ),
    apply: (items) => {
      write(items, item, (items.get(idOf(item)) ?? 0) + 100);
    },
  })),
  fc.constantFrom(...NAMESPACES).map((namespace): Step => ({
    kind: "deleteNamespace",
    call: (store) => store.deleteNamespace(namespace),
    apply: (items) => {
      for (const each of NAMESPACES) {
        if (!namespace.every((label, nth) => each[nth] === label)) continue;
        for (const key of KEYS) items.delete(idOf({ namespace: each, key }));
      }
    },
  })),
);

function write(items: Map<string, number>, item: Item, n: number | null): void {
  if (n === null) items.delete(idOf(item));
  else items.set(idOf(item), n);
}

function ignoreConflict(error: unknown): void {
  if (!(error instanceof VersionConflictError)) throw error;
}

describeEachTarget("the calls of a store that nobody awaits", (target) => {
  let database: TestDatabase;
  let store: PostgresStore;

  beforeAll(async () => {
    database = await target.createDatabase();
    store = new PostgresStore(database.source);
    await store.setup();
  });
  afterAll(() => store.end());

  const stored = async (): Promise<Map<string, number>> => {
    const items = await store.search<{ n: number }>([], { limit: 100 });
    return new Map(items.map((item) => [idOf(item), item.value.n]));
  };

  it("leave what they leave one after another (C19)", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 2, maxLength: 12 }), async (steps) => {
        const items = await stored();
        for (const { apply } of steps) apply(items);
        await Promise.all(steps.map(({ call }) => call(store)));
        expect(await stored()).toEqual(items);
      }),
      runs(40),
    );
  });

  it("keep their order while the first of them creates the tables", async () => {
    const empty = await target.createDatabase();
    const fresh = new PostgresStore(empty.source);
    const value = { n: 1 };
    const put = fresh.put(["a"], "1", value);
    value.n = 2;
    await Promise.all([put, fresh.deleteNamespace(["a"]), fresh.put(["a"], "2", value)]);
    expect([await fresh.get(["a"], "1"), (await fresh.get(["a"], "2"))?.value]).toEqual([null, { n: 2 }]);
    await fresh.end();
  });

  it("settle where the function of an update writes the same item, and where two update each other's items", async () => {
    let writes = 0;
    await store.update<{ n: number }>(["a"], "1", async (value) => {
      if (writes++ === 0) await store.put(["a"], "1", { n: 7 });
      return { n: (value?.n ?? 0) + 1 };
    });
    expect((await store.get(["a"], "1"))?.value).toEqual({ n: 8 });
    const swap = (one: string, other: string) =>
      store.update(["swap"], one, async () => {
        await store.update(["swap"], other, () => ({ by: one }));
        return { by: "itself" };
      });
    await Promise.all([swap("1", "2"), swap("2", "1")]);
  });
});

describeServer("a call of a store that waits for another one", (target) => {
  it("ends with its signal, and lets the calls behind it go on", async () => {
    const database = await target.createDatabase();
    const store = new PostgresStore(database.source);
    await store.put(["a"], "1", { n: 1 });
    const locker = new pg.Client({ connectionString: database.source });
    await locker.connect();
    await locker.query("begin; select from store for update");
    const stopping = new AbortController();
    const put = store.put(["a"], "1", { n: 2 });
    const stopped = [
      store.batch([{ namespace: ["a"], key: "1", value: null }], { signal: stopping.signal }),
      store.deleteNamespace(["a"], { signal: stopping.signal }),
      store.update(["a"], "1", () => ({ n: 3 }), { signal: stopping.signal }),
    ];
    const last = store.put(["a"], "1", { n: 4 });
    // The lock holds nobody back who is about other items.
    await store.batch([{ namespace: ["b"], key: "1", value: { n: 1 } }]);
    stopping.abort();
    for (const call of stopped) await expect(call).rejects.toMatchObject({ name: "AbortError" });
    await locker.end();
    await Promise.all([put, last]);
    expect((await store.get(["a"], "1"))?.value).toEqual({ n: 4 });
    await store.end();
  });
});
