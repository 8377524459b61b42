import { createHash } from "node:crypto";
import { expect, it } from "@jest/globals";
import fc from "fast-check";
import { exportItems } from "../../src/store/back-up-items.js";
import { openStore } from "../../src/store/open-store.js";
import { type PostgresStore, StoreBackupError } from "../../src/store/index.js";
import { collect } from "../../test-support/checkpoints.js";
import { runs } from "../../test-support/runs.js";
import { describeAnyTarget, describeEachTarget, describeServer } from "../../test-support/targets.js";
import { type SuiteStore, useStore } from "./stored.js";

/** Every column of every item, as Postgres prints it. */
async function rowsOf({ database }: SuiteStore): Promise<string[]> {
  const rows = await database.query<{ row: string }>("select (store.*)::text as row from store order by 1");
  return rows.map(({ row }) => row);
}

const VALUES = [
  { n: 3, text: "line\u2028end", nested: { list: [1, null, "x"] } },
  { date: new Date(0), bytes: new Uint8Array([1, 2]) },
  {},
];

async function fill(store: PostgresStore): Promise<void> {
  for (const [nth, value] of VALUES.entries()) {
    await store.put(["users", `ü ${nth}`, "a:b"], `key\n${nth}`, value);
    await store.put(["users"], `${nth}`, value, undefined, { ttl: 0.5 + nth });
  }
  await store.put(["users"], "1", { again: true }, undefined, { ttl: 60 });
  await store.put(["usersother"], "1", { other: true });
}

describeEachTarget("a backup of items", (target) => {
  const suite = useStore(target);

  it("restores every column of every item exactly, and skips what is stored when it is imported again", async () => {
    const { store, database } = suite;
    await fill(store);
    // As other libraries write them.
    await database.exec(`
      update store set value = '{"number": 3.0, "b": 1, "aa": 2}', created_at = null where key = '0';
      insert into store (prefix, key, value, created_at, updated_at, expires_at, ttl_minutes, version)
      values ('old', '', '[]', '0099-01-01 00:00:00.000001Z', 'infinity', null, 0, 7)`);
    const before = await rowsOf(suite);
    const lines = await collect(store.exportItems());
    await database.exec("delete from store");
    expect(await store.importItems(lines)).toEqual({ items: 8, skipped: 0, expired: 0 });
    expect(await rowsOf(suite)).toEqual(before);
    expect(await store.importItems(lines)).toEqual({ items: 0, skipped: 8, expired: 0 });
    expect(await rowsOf(suite)).toEqual(before);
  });
});

describeAnyTarget("a backup of items", (target) => {
  const suite = useStore(target);

  async function importError(lines: readonly string[]): Promise<StoreBackupError> {
    const error: unknown = await suite.store.importItems(lines).catch((thrown: unknown) => thrown);
    if (error instanceof StoreBackupError) return error;
    throw new Error("the import did not fail with a StoreBackupError", { cause: error });
  }

  it("holds a namespace with those below it and no other, and begins with its format", async () => {
    await fill(suite.store);
    const lines = await collect(suite.store.exportItems({ namespace: ["users"] }));
    expect(lines[0]).toBe('{"format":"langgraph-store-backup","version":1}');
    const items = lines.slice(1, -1).map((line) => JSON.parse(line) as { prefix: string; key: string });
    expect(items.map(({ prefix, key }) => `${prefix}/${key}`)).toEqual([
      ...["users/0", "users/1", "users/2"],
      ...["users.ü 0.a:b/key\n0", "users.ü 1.a:b/key\n1", "users.ü 2.a:b/key\n2"],
    ]);
    expect(JSON.parse(lines.at(-1) ?? "")).toEqual({ end: { items: 6, sha256: expect.any(String) } });
    expect(lines.join("")).not.toMatch(/\u2028|\n/);
  });

  it("finds every item once, however small the pages are", async () => {
    const { store, database } = suite;
    const { call } = openStore(database.source, {});
    const label = fc.constantFrom("a", "b", "B", "a b", "a-b", "aa", "ä", "_", "%");
    const item = fc.record({
      namespace: fc.array(label, { minLength: 1, maxLength: 3 }),
      key: fc.constantFrom("1", "2", "A", "a", "ä", "", " "),
    });
    const items = fc.uniqueArray(item, { maxLength: 30, selector: nameOf });
    const size = fc.record({ rows: fc.integer({ min: 1, max: 5 }), bytes: fc.constantFrom(1, 200, 1e6) });
    await fc.assert(
      fc.asyncProperty(items, fc.array(label, { maxLength: 2 }), size, async (given, scope, pageSize) => {
        await database.exec("delete from store");
        await store.putMany(given.map((one) => ({ ...one, value: { text: "x".repeat(50) } })));
        const lines = await collect(exportItems(call, scope.join("."), pageSize));
        const exported = lines.slice(1, -1).map((line) => {
          const { prefix, key } = JSON.parse(line) as { prefix: string; key: string };
          return nameOf({ namespace: prefix.split("."), key });
        });
        const expected = given.filter(({ namespace }) => scope.every((one, nth) => namespace[nth] === one));
        expect(exported.toSorted()).toEqual(expected.map(nameOf).sort());
      }),
      runs(40),
    );
    await call.database.close();
  });

  it("leaves out what has expired, at the export and at the import, and replaces it where it is stored", async () => {
    const { store, database } = suite;
    await store.put(["t"], "gone", {}, undefined, { ttl: 1 });
    await store.put(["t"], "soon", { n: 1 }, undefined, { ttl: 10 });
    await store.put(["t"], "stays", { n: 1 });
    await database.exec("update store set expires_at = now() where key = 'gone'");
    const lines = await collect(store.exportItems());
    expect(lines).toHaveLength(4);
    await database.exec("delete from store");
    await store.put(["t"], "stays", { n: "expired" }, undefined, { ttl: 1 });
    await database.exec("update store set expires_at = now()");
    const later = lines.map((line) => line.replace(/"expires_at":"\d+/, '"expires_at":"1999'));
    const report = await store.importItems(withChecksum(later));
    expect(report).toEqual({ items: 1, skipped: 0, expired: 1 });
    expect(await store.search(["t"])).toMatchObject([{ key: "stays", value: { n: 1 }, version: 1 }]);
  });

  it("replaces what has expired, and deletes nothing else that shares its namespace or its key", async () => {
    const { store, database } = suite;
    const places = ["a k", "a l", "a m", "b k", "b l", "a.k k", "c m", "c n"].map((place) =>
      place.split(" "),
    );
    for (const [prefix = "", key = ""] of places)
      await store.put(prefix.split("."), key, { prefix, key }, undefined, { ttl: 60 });
    const before = await rowsOf(suite);
    const lines = await collect(store.exportItems());
    await database.exec(
      "update store set expires_at = now() where prefix in ('a', 'c') and key in ('k', 'm')",
    );
    expect(await store.importItems(lines)).toEqual({ items: 3, skipped: 5, expired: 0 });
    expect(await rowsOf(suite)).toEqual(before);
    // What has expired and is not in the backup is left to a sweep.
    await database.exec("update store set expires_at = now() where prefix = 'a' or key = 'n'");
    const some = await collect(store.exportItems());
    await database.exec("update store set expires_at = now()");
    expect(await store.importItems(some)).toEqual({ items: 4, skipped: 0, expired: 0 });
    expect(await store.sweep()).toBe(4);
  });

  it("is relative to the root of a scoped store, which it never leaves", async () => {
    const { store } = suite;
    await store.put(["users", "7"], "own", { n: 0 });
    await store.put(["users", "7", "facts"], "1", { n: 1 });
    await store.put(["users", "77"], "1", { n: 2 });
    const lines = await collect(store.scoped(["users", "7"]).exportItems());
    expect(lines).toHaveLength(4);
    await store.scoped(["copy"]).importItems(lines);
    const copied = await store.search(["copy"]);
    expect(copied.map(({ namespace, key }) => [...namespace, key].join("/")).sort()).toEqual([
      "copy/facts/1",
      "copy/own",
    ]);
    expect((await importError(lines)).message).toMatch(/item "own" has no namespace; nothing was restored/);
  });

  it("does not overwrite an item that differs, and names it", async () => {
    const { store, database } = suite;
    await store.put(["t"], "a", { n: 3 });
    await store.put(["t"], "b", { n: 3 });
    const lines = await collect(store.exportItems());
    for (const change of [
      `value = '{"n": 3.0}'`,
      "version = version + 1",
      "updated_at = updated_at + interval '1 microsecond'",
      "created_at = null",
    ]) {
      await database.exec(`delete from store where key = 'a'; update store set ${change} where key = 'b'`);
      const before = await rowsOf(suite);
      const error = await importError(lines);
      expect(error.message).toMatch(/item "b" of namespace \["t"\] is already stored with different content/);
      expect(await rowsOf(suite)).toEqual(before);
      await database.exec("delete from store");
      await store.importItems(lines);
    }
    await database.exec("update store set expires_at = now() + interval '1 day', ttl_minutes = 1");
    expect(await store.importItems(lines)).toMatchObject({ skipped: 2 });
  });

  it("is stored in portions, which count even if the import ends early", async () => {
    const { store, database } = suite;
    const items = Array.from({ length: 1_500 }, (_, nth) => ({
      namespace: ["t", String(nth % 7)],
      key: String(nth),
      value: { nth },
    }));
    await store.putMany(items);
    const lines = await collect(store.exportItems());
    expect(new Set(lines)).toHaveProperty("size", 1_502);
    await database.exec("delete from store");
    const error = await importError(lines.slice(0, -1));
    expect(error.message).toMatch(/its last line is missing; restored before the error: 1000 items$/);
    expect(error).toMatchObject({ code: "BACKUP_REFUSED", restored: { items: 1_000 } });
    const seen: number[] = [];
    const onProgress = ({ items: stored, skipped }: { items: number; skipped: number }) => {
      seen.push(stored + skipped);
    };
    expect(await store.importItems(lines, { onProgress })).toEqual({
      items: 500,
      skipped: 1_000,
      expired: 0,
    });
    expect(seen).toEqual([1_000, 1_500]);
    expect(await store.count(["t"])).toBe(1_500);
  });

  const LINE = {
    ...{ table: "store", prefix: "a", key: "k", value: "{}", created_at: null, updated_at: null },
    ...{ expires_at: null, ttl_minutes: null, version: 1 },
  };

  it.each<[string, object | string, RegExp]>([
    ["a table of threads", { ...LINE, table: "checkpoints" }, /damaged: table/],
    ["an unknown column", { ...LINE, x: 1 }, /Unrecognized key/],
    ["an empty label", { ...LINE, prefix: "a..b" }, /damaged: prefix .*labels cannot be empty/],
    ["a long key", { ...LINE, key: "k".repeat(3_000) }, /damaged: key must not be longer/],
    [
      "a value that is no object",
      { ...LINE, value: "1" },
      /damaged: value must be the text of a JSON object/,
    ],
    ["a value that is no JSON", { ...LINE, value: "{" }, /damaged: value must be the text of a JSON object/],
    [
      "a value that JSONB can't hold",
      { ...LINE, value: '{"a":"\\u0000"}' },
      /can't hold an item of the backup/,
    ],
    ["a time in words", { ...LINE, expires_at: "tomorrow" }, /damaged: expires_at must be a time/],
    [
      "a time that does not exist",
      { ...LINE, created_at: "2026-99-01T00:00:00.000000Z" },
      /can't hold an item/,
    ],
    ["no JSON", "{", /line 2: the backup is truncated or damaged: the line is not JSON/],
  ])("is refused with %s, and nothing is stored", async (_what, line, message) => {
    const text = typeof line === "string" ? line : JSON.stringify(line);
    const error = await importError(
      withChecksum(['{"format":"langgraph-store-backup","version":1}', text, ""]),
    );
    expect(error.message).toMatch(message);
    expect(error.message).toMatch(/; nothing was restored$/);
    expect(await rowsOf(suite)).toEqual([]);
  });

  it.each<[string, readonly string[], RegExp]>([
    ["nothing", [], /^the backup is empty/],
    [
      "a backup of threads",
      ['{"format":"langgraph-checkpoint-backup","version":1}'],
      /not a backup of the items/,
    ],
    ["a newer version", ['{"format":"langgraph-store-backup","version":2}'], /update the library/],
  ])("is refused if it is %s", async (_what, lines, message) => {
    expect((await importError(lines)).message).toMatch(message);
  });

  it("is refused if a line was changed", async () => {
    await suite.store.put(["t"], "k", { n: 1 });
    const lines = await collect(suite.store.exportItems());
    const error = await importError(lines.map((line) => line.replace('\\"n\\": 1', '\\"n\\": 2')));
    expect(error.message).toMatch(/checksum does not match/);
  });
});

describeServer("an export of items", (target) => {
  const suite = useStore(target);

  it("ends by its signal", async () => {
    await suite.store.put(["t"], "k", {});
    const controller = new AbortController();
    const lines = suite.store.exportItems({ signal: controller.signal });
    await lines.next();
    controller.abort();
    await expect(lines.next()).rejects.toMatchObject({ name: "AbortError" });
  });
});

function nameOf({ namespace, key }: { readonly namespace: readonly string[]; readonly key: string }): string {
  return `${namespace.join(".")}/${key}`;
}

/** Replaces the last line by one that fits the others. */
function withChecksum(lines: readonly string[]): string[] {
  const all = lines.slice(0, -1);
  const sha256 = createHash("sha256")
    .update(all.map((line) => `${line}\n`).join(""))
    .digest("hex");
  return [...all, JSON.stringify({ end: { items: all.length - 1, sha256 } })];
}
