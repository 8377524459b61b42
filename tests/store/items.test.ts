import { expect, it } from "@jest/globals";
import { BaseStore, InvalidNamespaceError } from "@langchain/langgraph-checkpoint";
import { HumanMessage } from "@langchain/core/messages";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { PostgresStore } from "../../src/store/index.js";
import { describeAnyTarget, describeEachTarget, describeServer } from "../../test-support/targets.js";
import { useStore } from "./stored.js";
import type { StoreDatabase } from "../../src/db/index.js";

const LABELS = ["user_1", "100%", "a\\b", "x:y", "line\n", "é😀", "*", "a/b", "a-b"];
const REFUSED: readonly unknown[] = [[""], ["a.b"], ["a\0"], ["\ud800"], [1], [null], "a", undefined];

describeEachTarget("an item", (target) => {
  const suite = useStore(target);

  it("is read back equal, whatever JSON lacks", async () => {
    const { store } = suite;
    const value = {
      text: "a\0b \ud800 é😀",
      numbers: [0, -1.5, 1e300, 2 ** 53],
      nested: { deep: [[{ list: [] }]], none: null },
      bytes: new Uint8Array([0, 255]),
      big: 2n ** 80n,
      message: new HumanMessage("hi"),
      map: new Map([["a", 1]]),
    };
    await store.put(["v"], "k", value);
    expect((await store.get(["v"], "k"))?.value).toEqual(value);
  });

  it("is stored as JSON that every other reader understands", async () => {
    const { store, database } = suite;
    const value = {
      at: new Date(0),
      left: undefined,
      n: 1,
      list: ["a", { b: null }],
      large: -1e21,
      zero: -0,
    };
    await store.put(["v", "w"], "k", value);
    expect(await database.query("select prefix, value from store")).toEqual([
      {
        prefix: "v.w",
        value: {
          at: "1970-01-01T00:00:00.000Z",
          n: 1,
          list: ["a", { b: null }],
          large: -1e21,
          zero: 0,
        },
      },
    ]);
  });

  it("is read with numbers that earlier versions stored as records", async () => {
    const { store, database } = suite;
    const numbers = {
      large: ["Number", "1e+21"],
      zero: ["Number", "-0"],
      long: ["BigInt", "18446744073709551616"],
    };
    const records = Object.entries(numbers).map(([key, [name, text]]) => [
      key,
      { lc: 2, type: "constructor", id: [name], method: null, args: [text], kwargs: {} },
    ]);
    await store.put(["v"], "k", {});
    await database.exec(`update store set value = '${JSON.stringify(Object.fromEntries(records))}'`);
    expect((await store.get(["v"], "k"))?.value).toStrictEqual({ large: 1e21, zero: -0, long: 2n ** 64n });
  });

  it("may hold one object at many places", async () => {
    const { store } = suite;
    let value: Record<string, unknown> = { at: new Date(0) };
    for (let level = 0; level < 10; level += 1) value = { left: value, right: value };
    await store.put(["v"], "k", value);
    expect(await store.search(["v"], { filter: { left: value.left } })).toHaveLength(1);
    for (let level = 0; level < 50; level += 1) value = { left: value, right: value };
    await expect(store.put(["v"], "k", value)).rejects.toMatchObject({ code: "SERIALIZATION_FAILED" });
  });

  it("keeps its time of creation when it is replaced, and its version rises", async () => {
    const { store, database } = suite;
    await store.put(["t"], "k", { n: 1 });
    await database.exec("update store set created_at = '2020-01-01', updated_at = '2020-01-01'");
    const before = await store.get(["t"], "k");
    await store.put(["t"], "k", { n: 2 });
    const after = await store.get(["t"], "k");
    expect(before).toMatchObject({ createdAt: new Date("2020-01-01"), version: 1 });
    expect(after).toMatchObject({ value: { n: 2 }, createdAt: new Date("2020-01-01"), version: 2 });
    expect(after?.updatedAt.getTime()).toBeGreaterThan(before?.updatedAt.getTime() ?? 0);
  });

  it("belongs to the caller who read it: changing it changes nothing else", async () => {
    const { store } = suite;
    await store.put(["c"], "k", { list: [1] });
    const [one, two] = await store.getMany<{ list: number[] }>([
      { namespace: ["c"], key: "k" },
      { namespace: ["c"], key: "k" },
    ]);
    one?.value.list.push(2);
    one?.namespace.push("x");
    expect(two).toMatchObject({ value: { list: [1] }, namespace: ["c"] });
  });

  it("may hold a text of megabytes, which searches by text pass over", async () => {
    const { store } = suite;
    const words = Array.from({ length: 300_000 }, (_, nth) => `w${nth.toString(36)}`);
    await store.put(["l"], "long", { text: words.join(" ") });
    await store.put(["l"], "short", { text: words.slice(0, 10).join(" ") });
    const found = await store.search(["l"], { query: "w1" });
    expect(found.map(({ key, score }) => [key, score !== undefined])).toEqual([
      ["short", true],
      ["long", false],
    ]);
  });

  it("may be deleted again, and is gone", async () => {
    const { store } = suite;
    await store.put(["d"], "k", { n: 1 });
    await store.delete(["d"], "k");
    await store.delete(["d"], "k");
    expect(await store.get(["d"], "k")).toBeNull();
    expect(await store.search([])).toEqual([]);
  });
});

describeAnyTarget("a namespace", (target) => {
  const suite = useStore(target);

  it("may have any labels but those that LangGraph reserves, on every path", async () => {
    const { store } = suite;
    await store.put(LABELS, "k", { n: 1 });
    expect(await store.get(LABELS, "k")).toMatchObject({ namespace: LABELS });
    expect(await store.search(LABELS.slice(0, 3))).toMatchObject([{ namespace: LABELS }]);
    expect(await store.listNamespaces({ prefix: LABELS.slice(0, 2), suffix: LABELS.slice(-1) })).toEqual([
      LABELS,
    ]);
    for (const namespace of REFUSED) {
      const given = namespace as string[];
      for (const call of [
        () => store.put(given, "k", {}),
        () => store.get(given, "k"),
        () => store.search(given),
        () => store.delete(given, "k"),
        () => store.batch([{ namespace: given, key: "k" }]),
        () => store.batch([{ namespacePrefix: given }]),
      ])
        await expect(call()).rejects.toThrow(InvalidNamespaceError);
    }
  });

  it("can't hold items at the root or below the root of LangGraph, though reads may name both", async () => {
    const { store } = suite;
    for (const namespace of [[], ["langgraph"], ["langgraph", "x"]]) {
      await expect(store.put(namespace, "k", {})).rejects.toThrow(InvalidNamespaceError);
      await expect(store.batch([{ namespace, key: "k", value: {} }])).rejects.toThrow(InvalidNamespaceError);
      expect(await store.get(namespace, "k")).toBeNull();
      expect(await store.search(namespace)).toEqual([]);
    }
    await expect(store.deleteNamespace([])).rejects.toThrow(InvalidNamespaceError);
  });

  it("never shows a sibling whose label begins alike", async () => {
    const { store } = suite;
    for (const last of ["b", "bc", "b-c", "b!", "b c"]) await store.put(["a", last], "k", {});
    await store.put(["a", "b", "c"], "k", {});
    await store.put(["ab"], "k", {});
    const found = (await store.search(["a", "b"])).map(({ namespace }) => namespace);
    expect(found.sort()).toEqual([
      ["a", "b"],
      ["a", "b", "c"],
    ]);
    expect(await store.count(["a"])).toBe(6);
    expect(await store.listNamespaces({ prefix: ["a", "b"] })).toEqual([
      ["a", "b"],
      ["a", "b", "c"],
    ]);
    expect(await store.listNamespaces({ suffix: ["b"] })).toEqual([["a", "b"]]);
    expect(await store.deleteNamespace(["a", "b"])).toBe(2);
    expect(await store.count([])).toBe(5);
  });

  it("is listed once, sorted byte by byte, cut off before the page is chosen", async () => {
    const { store } = suite;
    const namespaces = [
      ["a"],
      ["a", "b", "x"],
      ["a", "b", "y"],
      ["a!", "z"],
      ["a-b"],
      ["b", "b", "x"],
      ["é"],
    ];
    await store.putMany(
      namespaces.flatMap((namespace) => ["1", "2"].map((key) => ({ namespace, key, value: {} }))),
    );
    expect(await store.listNamespaces()).toEqual(sorted(namespaces));
    expect(await store.listNamespaces({ maxDepth: 1 })).toEqual([["a"], ["a!"], ["a-b"], ["b"], ["é"]]);
    expect(await store.listNamespaces({ maxDepth: 2, limit: 2, offset: 1 })).toEqual([["a!", "z"], ["a-b"]]);
    expect(await store.listNamespaces({ prefix: ["*", "b"], maxDepth: 2 })).toEqual([
      ["a", "b"],
      ["b", "b"],
    ]);
    expect(await store.listNamespaces({ prefix: ["a"], suffix: ["*", "x"] })).toEqual([["a", "b", "x"]]);
    expect(await store.listNamespaces({ prefix: ["a", "b", "x", "y"] })).toEqual([]);
    expect(await store.listNamespaces({ limit: 3, offset: 2 })).toEqual(sorted(namespaces).slice(2, 5));
  });
});

describeAnyTarget("a search", (target) => {
  const suite = useStore(target);

  it.each([20, 1_200])(
    "pages through %d items without a gap or a repetition, the newest first",
    async (count) => {
      const { store, database } = suite;
      const keys = Array.from({ length: count }, (_, nth) => `k${String(nth).padStart(5, "0")}`);
      await store.putMany(
        keys.map((key) => ({ namespace: ["p", "q"], key, value: { even: Number(key.at(-1)) % 2 } })),
      );
      await database.exec("update store set updated_at = to_timestamp(1e9 + hashtext(key) % 7)");
      const all = await store.search(["p"], { limit: count });
      const paged: string[] = [];
      const step = Math.ceil(count / 7);
      for (let offset = 0; offset < count; offset += step) {
        const page = await store.search(["p"], { limit: step, offset });
        paged.push(...page.map(({ key }) => key));
      }
      expect(paged).toEqual(all.map(({ key }) => key));
      expect([...paged].sort()).toEqual(keys);
      const times = all.map(({ updatedAt }) => updatedAt.getTime());
      expect(times).toEqual([...times].sort((one, other) => other - one));
      expect((await store.search([], { limit: count })).map(({ key }) => key)).toEqual(paged);
      const even = await store.search(["p"], { limit: 5, offset: 2, filter: { even: 0 } });
      expect(even.map(({ key }) => key)).toEqual(
        all
          .filter(({ value }) => value.even === 0)
          .slice(2, 7)
          .map(({ key }) => key),
      );
    },
  );

  it("finds texts by their words, and not by keys or parts of words", async () => {
    const { store } = suite;
    await store.put(["m"], "tea", { title: "Drinks", text: "Ada likes green tea" });
    await store.put(["m"], "pizza", { title: "Food", text: "Ada likes pizza and tea" });
    await store.put(["m"], "other", { title: "Weather", text: "It rains 100% of the time" });
    const keysOf = async (query: string) =>
      (await store.search(["m"], { query, mode: "text" })).map(({ key }) => key);
    expect(await keysOf("green teas")).toEqual(["tea"]);
    expect(await keysOf("tea -pizza")).toEqual(["tea"]);
    expect(await keysOf("title")).toEqual([]);
    expect(await keysOf("%")).toEqual([]);
    const best = await store.search(["m"], { query: "What pizza does Ada like?" });
    expect(best.map(({ key, score }) => [key, score !== undefined])).toEqual([
      ["pizza", true],
      ["tea", true],
      ["other", false],
    ]);
    const scored = await store.search(["m"], { query: "pizza", unscored: false });
    expect(scored.map(({ key }) => key)).toEqual(["pizza"]);
    const pages = [0, 1, 2, 3].map((offset) => store.search(["m"], { query: "tea", limit: 1, offset }));
    expect((await Promise.all(pages)).map(([item]) => item?.key)).toEqual([
      "pizza",
      "tea",
      "other",
      undefined,
    ]);
  });
});

describeServer("opening a store", (target) => {
  it("takes the argument of the official store, and creates the tables at the first call, however many begin at once", async () => {
    const { source } = await target.createDatabase();
    await using store = new PostgresStore({
      connectionOptions: source,
      schema: "memory",
      ttl: { defaultTtl: 5 },
    });
    expect(store).toBeInstanceOf(BaseStore);
    await Promise.all(["a", "b", "c", "d", "e"].map((key) => store.put(["x"], key, { key })));
    expect(await store.count([])).toBe(5);
    expect(() => new PostgresStore(source, { unknown: 1 } as object)).toThrow("options.unknown");
  });

  it("shares a transaction of the application, which commits or rolls back all of it", async () => {
    const { source } = await target.createDatabase();
    const pool = new pg.Pool({ connectionString: source });
    const db = new Kysely<StoreDatabase>({ dialect: new PostgresDialect({ pool }) });
    await new PostgresStore(db).put(["x"], "kept", {});
    const failing = db.transaction().execute(async (transaction) => {
      const store = new PostgresStore(transaction);
      await store.put(["x"], "gone", {});
      expect(await store.get(["x"], "gone")).not.toBeNull();
      throw new Error("rolled back");
    });
    await expect(failing).rejects.toThrow("rolled back");
    expect((await new PostgresStore(pool).search([])).map(({ key }) => key)).toEqual(["kept"]);
    await db.destroy();
  });

  it("needs only DML on a migrated database", async () => {
    const database = await target.createDatabase();
    await using owner = new PostgresStore(database.source);
    await owner.setup();
    await database.exec(`create role store_user_${process.pid} login password 'p';
      grant usage on schema public to store_user_${process.pid};
      grant select, insert, update, delete on store to store_user_${process.pid}`);
    const url = new URL(database.source);
    url.username = `store_user_${process.pid}`;
    url.password = "p";
    await using store = new PostgresStore(url.href);
    await store.put(["x"], "k", { n: 1 });
    expect(await store.get(["x"], "k")).toMatchObject({ value: { n: 1 } });
    await store.end();
    await database.exec(`drop owned by store_user_${process.pid}; drop role store_user_${process.pid}`);
  });
});

function sorted(namespaces: readonly string[][]): string[][] {
  return namespaces.toSorted((one, other) =>
    Buffer.compare(Buffer.from(one.join(".")), Buffer.from(other.join("."))),
  );
}
