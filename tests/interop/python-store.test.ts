import { afterAll, afterEach, beforeAll, expect, it } from "@jest/globals";
import { z } from "zod";
import { PostgresStore, VersionConflictError } from "../../src/store/index.js";
import { dumpSchema } from "../../test-support/schema-dump.js";
import type { TestDatabase } from "../../test-support/targets.js";
import { describePythonStore } from "./python-graphs.js";
import type { PythonProcess } from "./python-process.js";

const NAMESPACES = [
  ["user_1", "facts"],
  ["userX1", "facts"],
  ["100%"],
  ["100%", "x"],
  ["1000", "x"],
  ["a\\b", "c:d"],
  ["a\\b", "c"],
  ["line\n", "facts"],
  ["line", "facts"],
  ["é😀", "日本", "facts"],
  ["a*", "(b|c)", "[d]", "^e$", "f+?"],
  [" ", "'", '"', "--"],
];

const VALUES: readonly Record<string, unknown>[] = [
  {},
  { text: "", empty: [], object: {}, none: null, yes: true, no: false },
  {
    numbers: [
      0,
      -1,
      0.1,
      1e-7,
      1e20,
      1e21,
      -1e23,
      1.7976931348623157e308,
      5e-324,
      2 ** 53 - 1,
      -(2 ** 53) + 1,
    ],
  },
  { texts: ["é", "e\u0301", "日本語", "עברית", "😀", "\u2028\uffff", "\u0001\t\n\"\\'", "{}", "null"] },
  { "": 1, "a.b": 2, $eq: 3, "é😀": 4, 'quo"te': 5 },
  { deep: [[[{ a: [{ b: { c: [null, [], {}] } }] }]]] },
  { long: "long é ".repeat(20_000) },
];

const Shown = z.object({
  namespace: z.array(z.string()),
  key: z.string(),
  value: z.record(z.string(), z.unknown()),
  created: z.number(),
  updated: z.number(),
});

await describePythonStore("Python's PostgresStore", (target, start) => {
  /** The tables that Python created and TypeScript adopted, and both at work. */
  let shared: { database: TestDatabase<string>; python: PythonProcess; store: PostgresStore };

  beforeAll(async () => {
    const database = await target.createDatabase();
    const python = await start(database);
    const store = new PostgresStore(database.source);
    shared = { database, python, store };
    await python.do("setup");
    await store.setup();
  });
  afterEach(() => shared.database.exec("delete from store"));
  afterAll(async () => {
    await shared.python.end();
    await shared.store.end();
  });

  it("goes on in tables that this library has adopted, and its setup() changes nothing of them", async () => {
    const database = await target.createDatabase();
    const python = await start(database);
    await using store = new PostgresStore(database.source);
    await python.do("setup");
    await python.do("put", { places: [[["before"], "k"]], value: { n: 1 } });
    const [before] = await shownBy(python, ["before"]);

    await store.setup();
    const adopted = await dumpSchema(database);
    await python.do("setup");
    await store.setup();
    expect(await dumpSchema(database)).toEqual(adopted);
    expect(await database.query("select v from store_migrations order by v")).toEqual(
      [0, 1, 2, 3].map((v) => ({ v })),
    );
    expect(await shownBy(python, ["before"])).toEqual([before]);
    expect(await store.get(["before"], "k")).toMatchObject({
      value: { n: 1 },
      version: 1,
      createdAt: new Date(Math.round((before?.created ?? 0) * 1000 - 0.5)),
    });
    await python.end();
  });

  it("goes on in tables that this library has created", async () => {
    const database = await target.createDatabase();
    const python = await start(database);
    await using store = new PostgresStore(database.source);
    await store.put(["t"], "k", { by: "typescript" });
    const created = await dumpSchema(database);
    await python.do("setup");
    expect(await dumpSchema(database)).toEqual(created);
    await python.do("put", { places: [[["t"], "k"]], value: { by: "python" } });
    expect(await store.get(["t"], "k")).toMatchObject({ value: { by: "python" }, version: 2 });
    await python.end();
  });

  it("reads, replaces and deletes items of any namespace, as TypeScript does", async () => {
    const { python, store } = shared;
    const places = NAMESPACES.map((namespace) => [namespace, "k"]);
    await python.do("put", { places, value: { by: "python" } });
    for (const namespace of NAMESPACES)
      expect(await store.get(namespace, "k")).toMatchObject({ namespace, value: { by: "python" } });
    await store.batch(NAMESPACES.map((namespace) => ({ namespace, key: "k", value: { by: "typescript" } })));
    for (const namespace of NAMESPACES) {
      const { item } = await python.do("get", { namespace, key: "k" });
      expect(item).toMatchObject({ namespace, value: { by: "typescript" } });
    }
    await python.do("delete", { namespace: NAMESPACES[0], key: "k" });
    await store.delete(NAMESPACES[1] ?? [], "k");
    expect(await store.get(NAMESPACES[0] ?? [], "k")).toBeNull();
    expect(await python.do("get", { namespace: NAMESPACES[1], key: "k" })).toEqual({ item: null });
  });

  it("finds and lists the same namespaces as TypeScript", async () => {
    const { python, store } = shared;
    const half = NAMESPACES.length / 2;
    await python.do("put", { places: NAMESPACES.slice(0, half).map((each) => [each, "k"]), value: { n: 1 } });
    await store.putMany(
      NAMESPACES.slice(half).map((namespace) => ({ namespace, key: "k", value: { n: 2 } })),
    );
    for (const prefix of [[], ...NAMESPACES, ...NAMESPACES.map(([root = ""]) => [root])]) {
      const found = (await store.search(prefix, { limit: 100 })).map(({ namespace }) => namespace);
      expect(sorted(found)).toEqual(
        sorted((await shownBy(python, prefix)).map(({ namespace }) => namespace)),
      );
      expect(found.length).toBeGreaterThan(0);
    }
    const conditions = [
      {},
      { suffix: ["facts"] },
      { prefix: ["*", "facts"] },
      { prefix: ["a\\b", "*"] },
      { prefix: ["100%"] },
      { prefix: ["line"] },
      { prefix: ["*"], suffix: ["*", "facts"] },
      { maxDepth: 1 },
      { prefix: ["100%"], maxDepth: 1 },
    ];
    for (const { maxDepth, ...condition } of conditions.map((each) => ({ maxDepth: undefined, ...each }))) {
      const listed = await store.listNamespaces({ ...condition, maxDepth });
      const request = { ...condition, ...(maxDepth !== undefined && { max_depth: maxDepth }) };
      const { namespaces } = await python.do("list_namespaces", request);
      expect(sorted(listed)).toEqual(sorted(z.array(z.array(z.string())).parse(namespaces)));
      expect(listed.length).toBeGreaterThan(0);
    }
    for (const filter of [{ n: 1 }, { n: { $ne: 1 } }, { n: { $eq: 2 } }, { absent: 1 }]) {
      const found = (await store.search([], { filter, limit: 100 })).map(({ namespace }) => namespace);
      const items = await shownBy(python, [], { filter });
      expect(sorted(found)).toEqual(sorted(items.map(({ namespace }) => namespace)));
    }
  });

  it("reads and writes equal values of JSON", async () => {
    const { python, store } = shared;
    for (const [nth, value] of VALUES.entries()) {
      await store.put(["typescript"], `k${nth}`, value);
      const { item } = await python.do("get", { namespace: ["typescript"], key: `k${nth}` });
      expect(item).toMatchObject({ value });
      await python.do("put", { places: [[["python"], `k${nth}`]], value });
      expect((await store.get(["python"], `k${nth}`))?.value).toEqual(value);
    }
  });

  it("keeps the values that JSON lacks, which it sees as records", async () => {
    const { python, store } = shared;
    const value = {
      bytes: new Uint8Array([0, 255]),
      short: 2n,
      text: "a\0b \ud800",
      none: NaN,
    };
    await store.put(["r"], "k", { ...value, at: new Date(0) });
    const [seen] = await shownBy(python, ["r"]);
    expect(seen?.value).toMatchObject({
      bytes: { lc: 2, id: ["Uint8Array"] },
      short: { lc: 2, id: ["BigInt"], args: ["2"] },
      text: { lc: 2, id: ["String"] },
      none: { lc: 2, id: ["Number"] },
      at: "1970-01-01T00:00:00.000Z",
    });
    await python.do("put", { places: [[["r"], "copy"]], value: seen?.value });
    expect((await store.get(["r"], "copy"))?.value).toEqual({ ...value, at: "1970-01-01T00:00:00.000Z" });
  });

  it("stores integers beyond 2^53, which TypeScript reads exactly and returns as numbers", async () => {
    const { python, store } = shared;
    const integers = { odd: "9007199254740993", long: "1180591620717411303424", short: "-9007199254740991" };
    const read = { odd: 9007199254740993n, long: 2n ** 70n, short: -(2 ** 53) + 1 };
    await python.do("put", { places: [[["n"], "k"]], value: {}, integers });
    expect((await store.get(["n"], "k"))?.value).toEqual(read);
    expect(await store.search(["n"], { filter: read })).toHaveLength(1);
    await store.put(["n"], "k", read);
    expect(
      await shared.database.query(
        "select value from store where value ->> 'long' = '1180591620717411303424'",
      ),
    ).toHaveLength(1);
  });

  it("raises the version of an item that it writes, so that an update of TypeScript loses nothing", async () => {
    const { python, store } = shared;
    await store.put(["v"], "k", { n: 1 });
    await python.do("put", { places: [[["v"], "k"]], value: { n: 2 } });
    const put = store.put(["v"], "k", { n: 9 }, undefined, { ifVersion: 1 });
    await expect(put).rejects.toBeInstanceOf(VersionConflictError);
    await expect(put).rejects.toMatchObject({ currentVersion: 2 });
    let isFirst = true;
    await store.update<{ n: number }>(["v"], "k", async (value) => {
      if (isFirst) await python.do("put", { places: [[["v"], "k"]], value: { n: 10 } });
      isFirst = false;
      return { n: (value?.n ?? 0) + 1 };
    });
    expect(await store.get(["v"], "k")).toMatchObject({ value: { n: 11 }, version: 4 });
    await python.do("get", { namespace: ["v"], key: "k" });
    expect(await store.get(["v"], "k")).toMatchObject({ version: 4 });
  });

  it("lets an item of half a minute live on when either language reads it, and expires it for both", async () => {
    const { database, python, store } = shared;
    await python.do("put", { places: [[["t"], "python"]], value: {}, ttl: 0.5 });
    await store.put(["t"], "typescript", {}, undefined, { ttl: 0.5 });
    await store.put(["t"], "eternal", {});
    const keys = ["python", "typescript"].map((key) => ({ namespace: ["t"], key }));
    const refreshes = [
      async () => {
        for (const each of keys) await python.do("get", { ...each, refresh_ttl: true });
      },
      () => python.do("search", { prefix: ["t"], refresh_ttl: true }),
      () => store.getMany(keys, { refreshTtl: true }),
      () => store.search(["t"], { refreshTtl: true }),
    ];
    for (const refresh of refreshes) {
      await elapse(database, 20);
      await refresh();
      expect(await database.query("select key, ttl_minutes from store order by key")).toEqual([
        { key: "eternal", ttl_minutes: null },
        { key: "python", ttl_minutes: 0.5 },
        { key: "typescript", ttl_minutes: 0.5 },
      ]);
    }
    await elapse(database, 20);
    const quiet = { refresh_ttl: false, ttl_config: { omit_expired: true } };
    const keysInPython = async () => (await shownBy(python, ["t"], quiet)).map(({ key }) => key).sort();
    expect(await keysInPython()).toEqual(["eternal", "python", "typescript"]);
    await elapse(database, 20);
    expect(await keysInPython()).toEqual(["eternal"]);
    expect((await store.search(["t"])).map(({ key }) => key)).toEqual(["eternal"]);
    expect(await store.get(["t"], "python")).toBeNull();
  });

  it.each(["python", "typescript"] as const)("sweeps what the other one let expire: %s", async (by) => {
    const { database, python, store } = shared;
    await python.do("put", { places: [[["t"], "python"]], value: {}, ttl: 1 });
    await store.put(["t"], "typescript", {}, undefined, { ttl: 1 });
    await store.put(["t"], "kept", {}, undefined, { ttl: 10 });
    await elapse(database, 120);
    const deleted = by === "python" ? (await python.do("sweep")).deleted : await store.sweep();
    expect(deleted).toBe(2);
    expect(await database.query("select key from store")).toEqual([{ key: "kept" }]);
  });

  it("writes the same items at the same time, and none is lost", async () => {
    const { database, python, store } = shared;
    const keys = Array.from({ length: 60 }, (_, nth) => `k${nth}`);
    const places = keys.map((key) => [["c"], key]);
    await Promise.all([
      python.do("put", { places, value: { by: "python" } }),
      ...keys.map((key) => store.put(["c"], key, { by: "typescript" })),
      store.putMany(keys.map((key) => ({ namespace: ["c"], key, value: { by: "typescript" } }))),
    ]);
    const rows = await database.query<{ key: string; version: string }>("select key, version from store");
    expect(rows.map(({ key }) => key).sort()).toEqual([...keys].sort());
    expect(rows.map(({ version }) => Number(version))).toEqual(keys.map(() => 3));
  });
});

async function shownBy(
  python: PythonProcess,
  prefix: readonly string[],
  details: Record<string, unknown> = {},
) {
  const { items } = await python.do("search", { ...details, prefix });
  return z.array(Shown).parse(items);
}

/** Makes all items with a TTL older by so many seconds. */
async function elapse(database: TestDatabase, seconds: number): Promise<void> {
  await database.query("update store set expires_at = expires_at - $1::float8 * interval '1 second'", [
    seconds,
  ]);
}

function sorted(namespaces: readonly (readonly string[])[]): string[] {
  return namespaces.map((namespace) => JSON.stringify(namespace)).sort();
}
