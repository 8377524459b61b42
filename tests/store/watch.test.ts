import { expect, it } from "@jest/globals";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { type ItemStore, PostgresStore, type StoreChange } from "../../src/store/index.js";
import { describeEachTarget, describeServer } from "../../test-support/targets.js";
import { TcpProxy } from "../../test-support/tcp-proxy.js";
import { RecordingLogger } from "../telemetry/recording-logger.js";
import { useStore } from "./stored.js";
import type { StoreDatabase } from "../../src/db/index.js";

type Watch = AsyncGenerator<StoreChange, undefined>;

/** Starts a watch, and waits until the server's notifications reach it. */
async function begin(watch: Watch, store: ItemStore, namespace: string[]): Promise<Watch> {
  const begun = new AbortController();
  const first = watch.next().then(() => {
    begun.abort();
  });
  for (let puts = 0; !begun.signal.aborted; puts++) {
    await store.put(namespace, `begin ${puts}`, {});
    // A turn of the event loop, in which a notification may arrive.
    await new Promise(setImmediate);
  }
  await first;
  await store.put(namespace, "begun", {});
  while ((await shown(watch)) !== `put ${namespace.join("/")} begun`);
  return watch;
}

async function shown(watch: Watch): Promise<string | undefined> {
  const { value } = await watch.next();
  if (value === undefined || value.type === "gap") return value?.type;
  const { namespace, key } = value.type === "put" ? value.item : value;
  return `${value.type} ${namespace.join("/")} ${key}`;
}

async function several(watch: Watch, count: number): Promise<(string | undefined)[]> {
  const changes = [];
  for (let n = 0; n < count; n++) changes.push(await shown(watch));
  return changes;
}

describeEachTarget("watching a store", (target) => {
  const suite = useStore(target);

  it("yields what is stored and deleted in the namespace and below it, by every kind of write", async () => {
    const store = suite.open({ notify: true });
    const watch = await begin(suite.store.watch(["users"]), store, ["users"]);
    await store.put(["usersx"], "sibling", {});
    await store.put(["users", "é😀"], "a", { n: 1 });
    await store.batch([
      { namespace: ["users"], key: "b", value: { n: 1 } },
      { namespace: ["users", "é😀"], key: "a", value: null },
    ]);
    await store.delete(["users"], "b");
    await store.put(["users"], "c", {}, undefined, { ifVersion: 0 });
    await store.put(["users"], "c", { n: 2 }, undefined, { ifVersion: 1 });
    expect(await store.deleteNamespace(["users", "none"])).toBe(0);
    await store.put(["users", "x"], "d", {});
    await store.deleteNamespace(["users", "x"]);
    const seen = new Set<string | undefined>();
    while (!seen.has("delete users/x d")) seen.add(await shown(watch));
    // A put is left out where the item was deleted before the watch got to it.
    const certain = ["delete users/é😀 a", "delete users b", "put users c", "delete users/x d"];
    expect([...seen]).toEqual(expect.arrayContaining(certain));
    expect([...seen].filter((change) => change?.includes("usersx"))).toEqual([]);
    await watch.return(undefined);
  });

  it("shows a scoped store its own namespaces, and the newest value of an item once", async () => {
    const scoped = suite.open({ notify: true }).scoped(["users", "7"]);
    const watch = await begin(scoped.watch([]), scoped, ["facts"]);
    await scoped.putMany([1, 2].map((n) => ({ namespace: ["facts"], key: `k${n}`, value: { n } })));
    await scoped.put(["facts"], "k2", { n: 3 });
    expect(await several(watch, 2)).toEqual(["put facts k1", "put facts k2"]);
    await scoped.put(["facts"], "k4", {});
    expect(await shown(watch)).toBe("put facts k4");
    await watch.return(undefined);
  });

  it("yields nothing of a store that announces nothing, and ends by a signal or with its store", async () => {
    const store = suite.open({ notify: true });
    const signal = new AbortController();
    const watch = await begin(suite.store.watch(["w"], { signal: signal.signal }), store, ["w"]);
    await suite.store.put(["w"], "silent", {});
    await store.put(["w"], "loud", {});
    expect(await shown(watch)).toBe("put w loud");
    const aborted = watch.next();
    signal.abort();
    await expect(aborted).rejects.toMatchObject({ code: "ABORTED" });
    const closing = suite.open({});
    const closed = await begin(closing.watch(["w"]), store, ["w"]);
    const ended = closed.next();
    await closing.end();
    expect(await ended).toEqual({ done: true, value: undefined });
  });
});

describeServer("watching a store on a server", (target) => {
  const suite = useStore(target);

  function url(): string {
    const { source } = suite.database;
    if (typeof source === "string") return source;
    throw new Error("a server is needed");
  }

  it("yields a gap after the connection was lost, and then what any program stored meanwhile", async () => {
    const logger = new RecordingLogger();
    const proxy = await TcpProxy.open(url());
    const watching = new PostgresStore(proxy.url, { logger });
    const store = suite.open({ notify: true });
    const watch = await begin(watching.watch(["g"]), store, ["g"]);
    const next = watch.next();
    const letThrough = proxy.stall();
    await suite.database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and query like 'listen %'`,
    );
    await suite.store.put(["g"], "missed", {});
    await suite.store.put(["h"], "elsewhere", {});
    letThrough();
    expect(await next).toEqual({ done: false, value: { type: "gap" } });
    await store.put(["g"], "after", {});
    expect(await several(watch, 2)).toEqual(["put g missed", "put g after"]);
    expect(logger.at("warn").map(({ message }) => message)).toContain(
      "watches lost their connection, reconnecting",
    );
    await watch.return(undefined);
    await watching.end();
    await proxy.close();
  });

  it("is refused on a Kysely, which passes no notifications on", async () => {
    const pool = new pg.Pool({ connectionString: url() });
    const db = new Kysely<StoreDatabase>({ dialect: new PostgresDialect({ pool }) });
    await expect(new PostgresStore(db).watch(["x"]).next()).rejects.toMatchObject({ code: "INVALID_CONFIG" });
    await db.destroy();
  });
});
