import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import pg from "pg";
import { PostgresStore } from "../../src/store/index.js";
import { itemVersions } from "../../src/store/queries/get-items.js";
import { expectLocksInOrder, JOIN_METHODS } from "../../test-support/locks-in-order.js";
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

describeServer("a call that locks several items", (target) => {
  const suite = useStore(target);
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

  const expectInOrder = (call: () => Promise<unknown>) =>
    expectLocksInOrder<(typeof ITEMS)[number]>(
      suite.database,
      ITEMS,
      (locker, { namespace, key }) =>
        locker.query(
          `insert into store (prefix, key, value) values ($1, $2, '{}') on conflict (prefix, key) do update set value = store.value`,
          [namespace.join("."), key],
        ),
      call,
    );

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

  describe.each(JOIN_METHODS)(
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

      // What a store with embeddings sends before it replaces vectors. The server may lack their type.
      it("the lock on items whose vectors are kept", async () => {
        await stored(60);
        const keys = REVERSED.map(({ namespace, key }) => ({ prefix: namespace.join("."), key }));
        const { sql, parameters } = itemVersions("public", keys);
        const client = new pg.Client({ connectionString: suite.database.source, options });
        await client.connect();
        await suite.store.put(["a"], "a", {});
        await expectInOrder(() => client.query(sql, [...parameters]));
        const { rows } = await client.query<{ prefix: string }>(sql, [...parameters]);
        expect(rows.map(({ prefix }) => prefix)).toEqual(["a.x", "a.x", "a.y"]);
        await client.end();
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
