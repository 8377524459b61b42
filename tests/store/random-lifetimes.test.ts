import { expect, it } from "@jest/globals";
import fc from "fast-check";
import { type PostgresStore, StoreBackupError, VersionConflictError } from "../../src/store/index.js";
import { runs } from "../../test-support/runs.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";
import { elapse } from "./elapse.js";
import { isAt, isWithin, Lifetimes, type Place, type Row } from "./model/lifetimes.js";
import { useStore } from "./stored.js";

/** Few, so that calls meet the same items. The first ones share keys, and the beginnings of their names. */
const prefix = fc.constantFrom("a", "a.b", "a.b.c", "ab", "a-", "a/b");
const place: fc.Arbitrary<Place> = fc.record({ prefix, key: fc.constantFrom("k", "l") });
/** Minutes that no sum of steps is equal to. */
const ttl = fc.constantFrom(null, 10, 25);
const scope = fc.constantFrom("", "a", "a.b", "ab");
const refresh = fc.boolean();

/** The version that a write expects: that of the item, that of its row even if it has expired, or another one. */
type Expected = "current" | "stored" | "newer" | "older";

type Call =
  | { readonly kind: "put"; readonly place: Place; readonly ttl: number | null }
  | { readonly kind: "putIf"; readonly place: Place; readonly ttl: number | null; readonly expects: Expected }
  | { readonly kind: "batch"; readonly places: readonly Place[]; readonly expects: Expected }
  | { readonly kind: "update" | "delete"; readonly place: Place }
  | { readonly kind: "deleteMany"; readonly places: readonly Place[] }
  | { readonly kind: "deleteNamespace"; readonly prefix: string }
  | { readonly kind: "sweep" | "elapse" | "import" }
  | { readonly kind: "export"; readonly scope: string }
  | { readonly kind: "get"; readonly places: readonly Place[]; readonly refresh: boolean }
  | { readonly kind: "search"; readonly scope: string; readonly refresh: boolean; readonly words: boolean }
  | { readonly kind: "list"; readonly scope: string; readonly depth: number };

const kind = <Kind extends Call["kind"]>(name: Kind) => fc.constant(name);
const places = fc.uniqueArray(place, {
  minLength: 2,
  maxLength: 3,
  selector: (each) => JSON.stringify(each),
});
const expects = fc.constantFrom<Expected[]>("current", "current", "stored", "stored", "newer", "older");
const call: fc.Arbitrary<Call> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: kind("put"), place, ttl }) },
  { weight: 4, arbitrary: fc.record({ kind: kind("putIf"), place, ttl, expects }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("batch"), places, expects }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("update"), place }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("delete"), place }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("deleteMany"), places }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("deleteNamespace"), prefix }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("sweep") }) },
  { weight: 4, arbitrary: fc.record({ kind: kind("elapse") }) },
  { weight: 3, arbitrary: fc.record({ kind: kind("export"), scope }) },
  { weight: 4, arbitrary: fc.record({ kind: kind("import") }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("get"), places, refresh }) },
  { weight: 2, arbitrary: fc.record({ kind: kind("search"), scope, refresh, words: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: kind("list"), scope, depth: fc.constantFrom(1, 2) }) },
);

const labels = (text: string): string[] => (text === "" ? [] : text.split("."));
const described = ({ prefix: where, key, n, version }: Row) => `${where} ${key} ${n} ${version}`;
const found = (items: Awaited<ReturnType<PostgresStore["getMany"]>>) =>
  items.map((item) =>
    item === null
      ? "none"
      : `${item.namespace.join(".")} ${item.key} ${String(item.value.n)} ${item.version}`,
  );

/** A store in the database, the same in memory, and the newest backup of both. */
class Both {
  readonly #store: PostgresStore;
  readonly #database: TestDatabase;
  readonly #model = new Lifetimes();
  #backup: { readonly lines: readonly string[]; readonly rows: readonly Row[] } = { lines: [], rows: [] };
  #n = 0;
  /** The times of writes, as the database has them. */
  readonly #times = new Map<number, string>();

  constructor(store: PostgresStore, database: TestDatabase) {
    this.#store = store;
    this.#database = database;
  }

  async run(each: Call): Promise<void> {
    const [store, model] = [this.#store, this.#model];
    this.#n += 1;
    const n = this.#n;
    switch (each.kind) {
      case "put":
        await store.put(labels(each.place.prefix), each.place.key, { n }, undefined, { ttl: each.ttl });
        model.put(each.place, n, each.ttl);
        return;
      case "putIf": {
        const ifVersion = model.expected(each.place, each.expects);
        const options = { ttl: each.ttl, ifVersion };
        const put = store.put(labels(each.place.prefix), each.place.key, { n }, undefined, options);
        if (await this.#isConflict(put, each.place, ifVersion)) return;
        model.put(each.place, n, each.ttl);
        return;
      }
      case "batch": {
        const [one, other, gone] = each.places as readonly [Place, Place, Place?];
        const ifVersion = model.expected(one, each.expects);
        const batch = store.batch([
          { namespace: labels(one.prefix), key: one.key, value: { n }, ifVersion },
          { namespace: labels(other.prefix), key: other.key, value: { n } },
          ...(gone === undefined ? [] : [{ namespace: labels(gone.prefix), key: gone.key, value: null }]),
        ]);
        if (await this.#isConflict(batch, one, ifVersion)) return;
        model.put(one, n, null);
        // The database has one time for both.
        model.put(other, n, null);
        if (gone !== undefined) model.delete((row) => isAt(row, gone));
        return;
      }
      case "update": {
        const before = model.get(each.place)?.n;
        await store.update(labels(each.place.prefix), each.place.key, (value) => {
          expect(value?.n).toBe(before);
          return { n };
        });
        model.put(each.place, n, null);
        return;
      }
      case "delete":
        await store.delete(labels(each.place.prefix), each.place.key);
        model.delete((row) => isAt(row, each.place));
        return;
      case "deleteMany":
        await store.batch(
          each.places.map(({ prefix: where, key }) => ({ namespace: labels(where), key, value: null })),
        );
        model.delete((row) => each.places.some((gone) => isAt(row, gone)));
        return;
      case "deleteNamespace":
        expect(await store.deleteNamespace(labels(each.prefix))).toBe(
          model.delete((row) => isWithin(row, each.prefix)),
        );
        return;
      case "sweep":
        expect(await store.sweep()).toBe(model.sweep());
        return;
      case "elapse":
        await elapse(this.#database, 7);
        model.elapse(7);
        return;
      case "export": {
        const lines: string[] = [];
        for await (const line of store.exportItems({ namespace: labels(each.scope) })) lines.push(line);
        this.#backup = { lines, rows: model.alive((row) => isWithin(row, each.scope)) };
        return;
      }
      case "import": {
        if (this.#backup.lines.length === 0) return;
        const report = model.restore(this.#backup.rows);
        const restored = store.importItems(this.#backup.lines);
        if (report === "differs") await expect(restored).rejects.toBeInstanceOf(StoreBackupError);
        else expect(await restored).toEqual(report);
        return;
      }
      case "get": {
        const keys = each.places.map(({ prefix: where, key }) => ({ namespace: labels(where), key }));
        const items = await store.getMany(keys, { refreshTtl: each.refresh });
        const rows = each.places.map((wanted) => model.get(wanted));
        expect(found(items)).toEqual(rows.map((row) => (row === undefined ? "none" : described(row))));
        if (each.refresh) model.refresh(rows.filter((row) => row !== undefined));
        return;
      }
      case "search": {
        const options = { refreshTtl: each.refresh, limit: 20, ...(each.words && { query: "nothing" }) };
        const items = await store.search(labels(each.scope), options);
        const rows = model.alive((row) => isWithin(row, each.scope));
        expect(found(items).sort()).toEqual(rows.map(described).sort());
        expect(await store.count(labels(each.scope))).toBe(rows.length);
        if (each.refresh) model.refresh(rows);
        return;
      }
      case "list": {
        const listed = await store.listNamespaces({ prefix: labels(each.scope), maxDepth: each.depth });
        const cut = model
          .alive((row) => isWithin(row, each.scope))
          .map((row) => labels(row.prefix).slice(0, each.depth).join("."));
        expect(listed.map((each) => each.join("."))).toEqual([...new Set(cut)].sort());
        return;
      }
    }
  }

  async #isConflict(put: Promise<unknown>, at: Place, ifVersion: number): Promise<boolean> {
    const currentVersion = this.#model.versionOf(at);
    if (currentVersion === ifVersion) {
      await put;
      return false;
    }
    await expect(put).rejects.toBeInstanceOf(VersionConflictError);
    await expect(put).rejects.toMatchObject({ expectedVersion: ifVersion, currentVersion });
    return true;
  }

  /** Compares the table with the rows in memory. */
  async compare(): Promise<void> {
    const stored = await this.#database.query<Record<string, unknown>>(
      `select prefix, key, (value->>'n')::int as n, version::int as version, ttl_minutes as ttl,
        round(extract(epoch from expires_at - now()) / 60)::int as left, created_at::text as created, updated_at::text as updated
      from store order by prefix collate "C", key collate "C"`,
    );
    // A write has the same time in each row that it has left.
    for (const [nth, { created, updated }] of this.#model.rows.entries()) {
      const row = stored[nth];
      if (!this.#times.has(updated)) this.#times.set(updated, String(row?.updated));
      if (!this.#times.has(created)) this.#times.set(created, String(row?.created));
    }
    const expected = this.#model.rows.map((row) => ({
      ...row,
      created: this.#times.get(row.created),
      updated: this.#times.get(row.updated),
    }));
    expect(stored).toEqual(expected);
  }
}

describeAnyTarget("items that expire", (target) => {
  const suite = useStore(target);

  it("are found, replaced, refreshed, deleted and restored as in a plain store in memory", async () => {
    const property = fc.asyncProperty(fc.array(call, { minLength: 10, maxLength: 40 }), async (history) => {
      await suite.database.exec("delete from store");
      const both = new Both(suite.store, suite.database);
      for (const each of history) {
        await both.run(each);
        await both.compare();
      }
    });
    await fc.assert(property, runs(16));
  });
});
