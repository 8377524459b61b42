import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { CacheFullKey } from "@langchain/langgraph-checkpoint";
import { PostgresCache } from "../../src/cache/index.js";
import { expectLocksInOrder, JOIN_METHODS } from "../../test-support/locks-in-order.js";
import { describeServer } from "../../test-support/targets.js";
import { useCache } from "./cached.js";

/** Byte by byte, in which every call locks them. By their keys alone, or in another collation, the order is another one. */
const KEYS: readonly [CacheFullKey, ...CacheFullKey[]] = [
  [["ns", "x"], "B"],
  [["ns", "x"], "a"],
  [["ns", "y"], "A"],
];
const REVERSED = KEYS.toReversed().map((key) => ({ key, value: 1 }));

describeServer("a call that locks several entries", (target) => {
  const suite = useCache(target);
  const expectInOrder = (call: () => Promise<unknown>) =>
    expectLocksInOrder(
      suite.database,
      KEYS,
      (locker, [namespace, key]) =>
        locker.query(
          `insert into cache_entries (namespace, key, type, value, size) values ($1, $2, 'null', '', 0)
           on conflict (namespace, key) do update set size = 0`,
          [JSON.stringify(namespace), key],
        ),
      call,
    );

  describe.each(JOIN_METHODS)(
    "takes them in the order of all calls, so that none can deadlock, by %s",
    (_by, options) => {
      let cache: PostgresCache;
      beforeAll(() => {
        const source = { connectionString: suite.database.source, options };
        cache = new PostgresCache(source, { deadlineMs: 120_000, sweepIntervalMinutes: false });
      });
      afterAll(() => cache.end());

      it.each<[string, (of: PostgresCache) => Promise<unknown>]>([
        ["set", (of) => of.set(REVERSED)],
        [
          "set that removes",
          (of) => of.set(REVERSED.map((pair, n) => (n === 1 ? pair : { ...pair, ttl: 0 }))),
        ],
        ["clear", (of) => of.clear(REVERSED.map(({ key: [namespace] }) => namespace))],
        ["clear of everything", (of) => of.clear([])],
        ["clearPrefix", (of) => of.clearPrefix(["ns"])],
      ])("%s", async (_name, call) => {
        // The last one in the order first, so that the table has another order.
        for (const pair of REVERSED) await suite.cache.set([pair]);
        await expectInOrder(() => call(cache));
      });

      it("set, of entries that do not exist yet", async () => {
        await expectInOrder(() => cache.set(REVERSED));
        expect(await cache.get([...KEYS])).toHaveLength(3);
      });
    },
  );
});
