import { afterAll, beforeAll, beforeEach, expect, it } from "@jest/globals";
import pg from "pg";
import { AbortError, DatabaseError } from "../../src/index.js";
import { PostgresStore } from "../../src/store/index.js";
import { untilOneWaits } from "../../test-support/held-locks.js";
import { observedPool, type ObservedPool } from "../../test-support/round-trips.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";

interface Value {
  [name: string]: unknown;
  is: string;
}

const KEYS = Array.from({ length: 10 }, (_, nth) => `key ${nth}`);
const NAMESPACE = ["grouped"];

describeServer("calls of a store that are made at the same time", (target) => {
  let database: TestDatabase<string>;
  let observed: ObservedPool;
  let store: PostgresStore;

  beforeAll(async () => {
    database = await target.createDatabase();
    observed = observedPool(database.source);
    store = new PostgresStore(observed.pool);
    await store.setup();
    await database.exec('alter table store add check (value <> \'{"is": "refused"}\')');
  });
  beforeEach(async () => {
    await Promise.all(KEYS.map((key) => store.put(NAMESPACE, key, { is: "old" })));
    observed.sent.length = 0;
  });
  afterAll(() => observed.pool.end());

  const putAll = (valueOf: (key: string) => Record<string, unknown>): Promise<void>[] =>
    KEYS.map((key) => store.put(NAMESPACE, key, valueOf(key)));
  const values = async (): Promise<unknown[]> => {
    const items = await store.getMany<Value>(KEYS.map((key) => ({ namespace: NAMESPACE, key })));
    return items.map((item) => item?.value.is ?? null);
  };

  it("ask the server nothing about the tables, whichever limits the setup had", async () => {
    const other = new PostgresStore(observed.pool);
    await other.setup({ lockTimeoutMs: 1_000 });
    observed.sent.length = 0;
    await other.setup();
    await other.start();
    expect(observed.sent).toEqual([]);
  });

  it("share a statement: the first of them is sent at once, and the others together", async () => {
    await Promise.all(putAll((key) => ({ is: key })));
    expect(observed.sent).toHaveLength(2);
    observed.sent.length = 0;
    const items = await Promise.all(KEYS.map((key) => store.get<Value>(NAMESPACE, key)));
    expect(items.map((item) => item?.value.is)).toEqual(KEYS);
    expect(observed.sent).toHaveLength(2);
    observed.sent.length = 0;
    await Promise.all(KEYS.map((key) => store.delete(NAMESPACE, key)));
    expect(observed.sent).toHaveLength(2);
    expect(await values()).toEqual(KEYS.map(() => null));
  });

  it("fail by themselves, each with its own error", async () => {
    const outcomes = await Promise.allSettled(putAll((key) => ({ is: key === "key 4" ? "refused" : "new" })));
    expect(outcomes.filter(({ status }) => status === "rejected")).toMatchObject([
      { reason: expect.any(DatabaseError) },
    ]);
    expect(await values()).toEqual(KEYS.map((key) => (key === "key 4" ? "old" : "new")));
  });

  it("keep the order of the calls about an item", async () => {
    const calls = [...putAll(() => ({ is: "first" })), ...putAll(() => ({ is: "second" }))];
    calls.push(store.delete(NAMESPACE, "key 0"), store.put(NAMESPACE, "key 0", { is: "last" }));
    calls.push(store.delete(NAMESPACE, "key 1"));
    await Promise.all(calls);
    expect(await values()).toEqual(["last", null, ...KEYS.slice(2).map(() => "second")]);
  });

  it("don't wait for a lock that one of them found", async () => {
    const locker = new pg.Client({ connectionString: database.source });
    await locker.connect();
    await locker.query("begin; select from store where key = 'key 4' for update");
    const calls = putAll(() => ({ is: "new" }));
    await Promise.all(calls.filter((_, nth) => nth !== 4));
    expect(await values()).toEqual(KEYS.map((key) => (key === "key 4" ? "old" : "new")));
    await untilOneWaits(database);
    await locker.end();
    await calls[4];
    expect(await values()).toEqual(KEYS.map(() => "new"));
  });

  it("end with their own signals", async () => {
    const locker = new pg.Client({ connectionString: database.source });
    await locker.connect();
    await locker.query("begin; lock table store in access exclusive mode");
    const stopping = new AbortController();
    const stopped = KEYS.flatMap((key) => [
      store.put(NAMESPACE, key, { is: "stopped" }, undefined, { signal: stopping.signal }),
      store.get(NAMESPACE, key, { signal: stopping.signal }),
    ]);
    const others = [...putAll(() => ({ is: "new" })), ...KEYS.map((key) => store.search([key]))];
    await untilOneWaits(database);
    stopping.abort();
    for (const call of stopped) await expect(call).rejects.toBeInstanceOf(AbortError);
    await locker.end();
    await Promise.all(others);
    expect(await values()).toEqual(KEYS.map(() => "new"));
  });

  it("store the value that an object has when the call is made", async () => {
    const value = { is: "as given" };
    const calls = putAll(() => value);
    value.is = "changed";
    await Promise.all(calls);
    expect(await values()).toEqual(KEYS.map(() => "as given"));
  });
});
