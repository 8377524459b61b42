import { expect, it } from "@jest/globals";
import fc from "fast-check";
import { runs } from "../../test-support/runs.js";
import { describeAnyTarget } from "../../test-support/targets.js";
import { useCache } from "./cached.js";

/** Two caches, whose namespaces share keys, and leases of both. */
const NAMESPACES = ['["a"]', '["a","b"]', '["ab"]', '"g"["a"]', '"g"["b"]', '"g"lease["a"]', 'lease["a"]'];

const row = fc.record({
  namespace: fc.constantFrom(...NAMESPACES),
  key: fc.constantFrom("k", "l", "m"),
  size: fc.integer({ min: 0, max: 3 }),
  /** Seconds ago, few, so that several entries are of the same time. */
  age: fc.integer({ min: 1, max: 3 }),
  /** Minutes from now on; negative where it has expired. */
  expires: fc.constantFrom(null, null, -1, 5, 6),
});
type Row = typeof row extends fc.Arbitrary<infer T> ? T : never;

const table = fc.uniqueArray(row, {
  maxLength: 16,
  selector: ({ namespace, key }) => `${namespace} ${key}`,
});
const bound = fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined });

/** The entries that a cache keeps of those that have not expired: of its own as many as its bounds allow. */
function kept(rows: readonly Row[], start: string, maxEntries = Infinity, maxBytes = Infinity): Row[] {
  const alive = rows.filter(({ expires }) => expires === null || expires > 0);
  const own = alive.filter(({ namespace }) => namespace.startsWith(start));
  const order = ({ expires, age, namespace, key }: Row) =>
    [expires ?? 9, 9 - age, NAMESPACES.indexOf(namespace), key].join(" ");
  own.sort((one, other) => (order(one) < order(other) ? -1 : 1));
  const bytes = () => own.reduce((sum, { size }) => sum + size, 0);
  const gone = new Set<Row>();
  while (own.length > maxEntries || bytes() > maxBytes) {
    const first = own.shift();
    if (first !== undefined) gone.add(first);
  }
  return alive.filter((each) => !gone.has(each));
}

describeAnyTarget("a sweep of a bounded cache", (target) => {
  const suite = useCache(target);

  it("deletes what has expired, and of its own entries those that expire first or are the oldest, no more than it has to", async () => {
    const property = fc.asyncProperty(
      fc.tuple(table, fc.boolean(), bound, bound),
      async ([rows, isOfGraph, maxEntries, maxBytes]) => {
        await suite.database.exec("delete from cache_entries");
        await suite.database.query(
          `insert into cache_entries (namespace, key, type, value, size, created_at, expires_at)
          select namespace, key, 'null', '', size, '2026-01-01'::timestamptz - age * interval '1 second',
            date_trunc('hour', now()) + interval '2 hours' * sign(expires) + expires * interval '1 minute'
          from json_to_recordset($1::json) as given(namespace text, key text, size int, age int, expires int)`,
          [JSON.stringify(rows)],
        );
        await using cache = suite.open({
          ...{ maxEntries, maxBytes },
          ...(isOfGraph && { keyPrefix: "g" }),
        });
        const expected = kept(rows, isOfGraph ? '"g"[' : "[", maxEntries, maxBytes);
        const deleted = await cache.sweep();
        const left = await suite.database.query<Row>("select namespace, key from cache_entries");
        const names = (of: readonly Row[]) => of.map(({ namespace, key }) => `${namespace} ${key}`).sort();
        expect(names(left)).toEqual(names(expected));
        expect(deleted).toBe(rows.length - expected.length);
      },
    );
    await fc.assert(property, runs(40));
  });
});
