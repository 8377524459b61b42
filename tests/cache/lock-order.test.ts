import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { CacheFullKey } from "@langchain/langgraph-checkpoint";
import pg from "pg";
import { PostgresCache } from "../../src/cache/index.js";
import { untilOneWaits } from "../../test-support/held-locks.js";
import { describeServer } from "../../test-support/targets.js";
import { useCache } from "./cached.js";

/** Byte by byte, in which every call locks them. By their keys alone, or in another collation, the order is another one. */
const KEYS: readonly CacheFullKey[] = [
  [["ns", "x"], "B"],
  [["ns", "x"], "a"],
  [["ns", "y"], "A"],
];
const REVERSED = KEYS.toReversed().map((key) => ({ key, value: 1 }));

/** Join methods: where rows are not locked before they are changed, the order of the locks depends on them. */
const PLANS = [
  ["nested loops", "-c enable_hashjoin=off -c enable_mergejoin=off"],
  ["hash joins", "-c enable_nestloop=off -c enable_mergejoin=off"],
] as const;

describeServer("a call that locks several entries", (target) => {
  const suite = useCache(target);
  let locker: pg.Client;
  beforeEach(async () => {
    locker = new pg.Client({ connectionString: suite.database.source });
    await locker.connect();
  });
  afterEach(() => locker.end());

  /**
   * Holds the first entry while a call waits for it. Then takes the others, for which it would wait if the call had one of them. It gives up
   * before the server ends the call because of the deadlock, since the call would begin again.
   */
  async function expectInOrder(call: () => Promise<unknown>): Promise<void> {
    const take = ([namespace, key]: CacheFullKey) =>
      locker.query(
        `insert into cache_entries (namespace, key, type, value, size) values ($1, $2, 'null', '', 0)
         on conflict (namespace, key) do update set size = 0`,
        [JSON.stringify(namespace), key],
      );
    const [first, ...others] = KEYS;
    await locker.query("begin; set local lock_timeout = '100ms'");
    if (first !== undefined) await take(first);
    const done = call();
    done.catch(() => undefined);
    await untilOneWaits(suite.database);
    for (const each of others) await take(each);
    await locker.query("rollback");
    await done;
  }

  describe.each(PLANS)(
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
