import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import pg from "pg";
import { PostgresStore } from "../../src/store/index.js";
import { untilOneWaits } from "../../test-support/held-locks.js";
import { describeServer } from "../../test-support/targets.js";
import { elapse } from "./elapse.js";
import { useStore } from "./stored.js";

/** Byte by byte, in which every call locks them. By their keys alone, or in another collation, the order is another one. */
const ITEMS = [
  { namespace: ["a", "x"], key: "B", value: { n: 1 } },
  { namespace: ["a", "x"], key: "a", value: { n: 1 } },
  { namespace: ["a", "y"], key: "A", value: { n: 1 } },
] as const;
const REVERSED = ITEMS.toReversed().map(({ namespace, key, value }) => ({
  ...{ namespace: [...namespace], key, value },
}));

/** Join methods: where rows are not locked before they are changed, the order of the locks depends on them. */
const PLANS = [
  ["nested loops", "-c enable_hashjoin=off -c enable_mergejoin=off"],
  ["hash joins", "-c enable_nestloop=off -c enable_mergejoin=off"],
] as const;

describeServer("a call that locks several items", (target) => {
  const suite = useStore(target);
  let locker: pg.Client;
  beforeEach(async () => {
    locker = new pg.Client({ connectionString: suite.database.source });
    await locker.connect();
  });
  afterEach(() => locker.end());

  async function exported(): Promise<string[]> {
    const lines: string[] = [];
    for await (const line of suite.store.exportItems()) lines.push(line);
    return lines;
  }

  /** Stores the items, the last one in the order first. */
  async function stored(ttl: number | null): Promise<void> {
    for (const { namespace, key, value } of REVERSED)
      await suite.store.put(namespace, key, value, undefined, { ttl });
  }

  /**
   * Holds the first item while a call waits for it. Then takes the others, for which it would wait if the call had one of them. It gives up
   * before the server ends the call because of the deadlock, since the call would begin again.
   */
  async function expectInOrder(call: () => Promise<unknown>): Promise<void> {
    const take = ([prefix, key]: readonly [string, string]) =>
      locker.query(
        `insert into store (prefix, key, value) values ($1, $2, '{}') on conflict (prefix, key) do update set value = store.value`,
        [prefix, key],
      );
    const [first, ...others] = ITEMS.map(({ namespace, key }) => [namespace.join("."), key] as const);
    await locker.query("begin; set local lock_timeout = '100ms'");
    if (first !== undefined) await take(first);
    const done = call();
    done.catch(() => undefined);
    await untilOneWaits(suite.database);
    for (const each of others) await take(each);
    await locker.query("rollback");
    await done;
  }

  const changes: readonly (readonly [string, (store: PostgresStore) => Promise<unknown>])[] = [
    ["putMany", (store) => store.putMany(REVERSED)],
    [
      "a batch of puts and deletions",
      (store) => store.batch(REVERSED.map((item, n) => (n === 1 ? item : { ...item, value: null }))),
    ],
    [
      "a batch of a put and deletions",
      (store) => store.batch(REVERSED.map((item, n) => (n === 0 ? item : { ...item, value: null }))),
    ],
  ];
  const others: typeof changes = [
    ["a batch of deletions", (store) => store.batch(REVERSED.map((item) => ({ ...item, value: null })))],
    ["deleteNamespace", (store) => store.deleteNamespace(["a"])],
    ["getMany that starts times again", (store) => store.getMany(REVERSED, { refreshTtl: true })],
    ["a search that starts times again", (store) => store.search(["a"], { refreshTtl: true })],
  ];

  describe.each(PLANS)(
    "takes them in the order of all calls, so that none can deadlock, by %s",
    (_by, options) => {
      let store: PostgresStore;
      beforeAll(() => {
        store = new PostgresStore({ connectionString: suite.database.source, options });
      });
      afterAll(() => store.end());

      it.each([...changes, ...others])("%s", async (_name, call) => {
        await stored(60);
        await expectInOrder(() => call(store));
      });

      it.each(changes)("%s, of items that do not exist yet", async (_name, call) => {
        await expectInOrder(() => call(store));
      });

      it("an import, of items that do not exist and of those that have expired", async () => {
        await stored(60);
        const lines = await exported();
        await suite.store.deleteNamespace(["a"]);
        await expectInOrder(() => store.importItems(lines));
        await suite.store.deleteNamespace(["a"]);
        await stored(60);
        await elapse(suite.database, 61);
        await expectInOrder(() => store.importItems(lines));
        expect(await suite.store.count([])).toBe(3);
      });
    },
  );
});
