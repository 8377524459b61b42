import { readFile } from "node:fs/promises";
import { describe, expect, it } from "@jest/globals";
import { Kysely } from "kysely";
import { InvalidConfigError } from "../../src/errors/index.js";
import { createCheckpoint } from "../../src/checkpoint-store/index.js";
import { SqliteCheckpointStore } from "../../src/checkpoint-store/sqlite/index.js";
import { describeSqlite, HAS_NODE_SQLITE, openNodeSqlite, SQLITE_KINDS } from "./sqlite.js";

const FIXTURES = new URL("../fixtures/langgraphgo/", import.meta.url);

/** The checkpoint of an execution at a millisecond. */
function at(milliseconds: number, fields: { id?: string; version?: number; executionId?: string } = {}) {
  const timestamp = new Date(milliseconds);
  return createCheckpoint({ executionId: "e", nodeName: "n", state: milliseconds, timestamp, ...fields });
}

describe("the source of a SqliteCheckpointStore", () => {
  it("is refused where it is none", () => {
    for (const source of ["", "a\0b", 7, null, [], { prepare: () => undefined }]) {
      expect(() => new SqliteCheckpointStore(source as string)).toThrow(InvalidConfigError);
    }
  });

  (HAS_NODE_SQLITE ? it.skip : it)("is no path where Node.js has no node:sqlite", () => {
    expect(() => new SqliteCheckpointStore(":memory:")).toThrow(
      /needs Node.js 22.13 or later, or an open better-sqlite3 database/,
    );
  });
});

describeSqlite("a SqliteCheckpointStore", (newFile) => {
  describe.each(SQLITE_KINDS)("on $name", (kind) => {
    it("stores, lists, refuses and trims as the others do", async () => {
      const { source } = kind.open(newFile());
      const store = new SqliteCheckpointStore(source, { concurrency: "optimistic" });
      await store.setup();
      for (let n = 1; n <= 5; n++) await store.save(at(n, { id: `c${n}` }), { keepLast: 3 });
      expect((await store.list("e")).map(({ id }) => id)).toEqual(["c3", "c4", "c5"]);
      expect((await store.latest("e"))?.id).toBe("c5");
      const stale = { ...at(9, { id: "c4" }), state: "other" };
      await expect(store.save(stale, { keepLast: 1 })).rejects.toMatchObject({ storedVersion: 1 });
      await expect(store.save(stale)).rejects.toMatchObject({ storedVersion: 1 });
      expect(await store.backend.count({})).toBe(3);
      expect(await store.delete("c4")).toBe(true);
      expect(await store.clear("e")).toBe(2);
    });

    it("leaves the database open, also for another store", async () => {
      const { source, all } = kind.open(newFile());
      await using first = new SqliteCheckpointStore(source);
      await first.setup();
      await first.save(at(1, { id: "c1" }));
      await first.end();
      await expect(first.load("c1")).rejects.toMatchObject({ code: "CONNECTION_FAILED" });
      expect((await new SqliteCheckpointStore(source).load("c1")).state).toBe(1);
      expect(all("select id from checkpoint_store")).toEqual([expect.objectContaining({ id: "c1" })]);
    });

    it("becomes part of a transaction of the application, and undoes only its own part", async () => {
      const { source, exec, all } = kind.open(newFile());
      const store = new SqliteCheckpointStore(source);
      await store.setup();
      exec(
        `create trigger refuse before delete on checkpoint_store begin select raise(fail, 'no'); end; begin`,
      );
      await store.save(at(1, { id: "c1" }), { keepLast: 1 });
      await expect(store.save(at(2, { id: "c2" }), { keepLast: 1 })).rejects.toMatchObject({
        code: "DATABASE_ERROR",
        transient: false,
      });
      exec("commit");
      expect(all("select id from checkpoint_store")).toEqual([expect.objectContaining({ id: "c1" })]);
      exec("begin");
      await store.save(at(3, { id: "c3" }), { keepLast: 5 });
      exec("rollback");
      expect((await store.list("e")).map(({ id }) => id)).toEqual(["c1"]);
    });

    it("lets timers run during a loop of awaited saves", async () => {
      const { source } = kind.open(newFile());
      const store = new SqliteCheckpointStore(source);
      await store.setup();
      const abort = new AbortController();
      setTimeout(() => {
        abort.abort();
      }, 1);
      for (let n = 0; n < 5_000 && !abort.signal.aborted; n++) await store.save(at(n, { id: "c1" }));
      expect(abort.signal.aborted).toBe(true);
    });

    it("asks for setup() where the table is missing", async () => {
      const { source, exec } = kind.open(newFile());
      const store = new SqliteCheckpointStore(source, { table: "other" });
      await expect(store.load("c1")).rejects.toMatchObject({ code: "MIGRATION_REQUIRED" });
      exec(`create table other (id text primary key, execution_id text not null, node_name text not null,
        state text not null, metadata text, timestamp datetime not null, version integer not null)`);
      await expect(store.save(at(1))).rejects.toMatchObject({ code: "MIGRATION_REQUIRED" });
      await store.setup();
      await store.save(at(1));
      expect(await store.list("e")).toHaveLength(1);
    });
  });

  it("works in a transaction of Kysely, and rolls back with it", async () => {
    const { source } = SQLITE_KINDS.at(-1)?.open(newFile()) ?? {};
    if (!(source instanceof Kysely)) return;
    await new SqliteCheckpointStore(source).setup();
    const saving = source.transaction().execute(async (transaction) => {
      const store = new SqliteCheckpointStore(transaction);
      await Promise.all([1, 2, 3].map((n) => store.save(at(n), { keepLast: 2 })));
      expect(await store.list("e")).toHaveLength(2);
      throw new Error("undone");
    });
    await expect(saving).rejects.toThrow("undone");
    expect(await new SqliteCheckpointStore(source).list("e")).toEqual([]);
  });

  it("writes ahead, and waits for the disk at each commit", async () => {
    const file = newFile();
    await using store = new SqliteCheckpointStore(file);
    await store.setup();
    const database = openNodeSqlite(file);
    expect(database.prepare("pragma journal_mode").all()).toEqual([
      expect.objectContaining({ journal_mode: "wal" }),
    ]);
    database.close();
  });

  it("takes any name of a table as a name", async () => {
    const file = newFile();
    const names = [`a"; drop table b; --`, "b", "select", "Ü 🚀"];
    for (const table of names) {
      await using store = new SqliteCheckpointStore(file, { table });
      await store.setup();
      await store.save(at(1, { id: table }), { keepLast: 1 });
    }
    for (const table of names) {
      await using store = new SqliteCheckpointStore(file, { table });
      expect((await store.list("e")).map(({ id }) => id)).toEqual([table]);
    }
  });

  it("refuses the tables of other programs", async () => {
    const file = newFile();
    const database = openNodeSqlite(file);
    database.exec(`create table checkpoints (thread_id text, checkpoint_ns text, checkpoint_id text);
      create table strict (id text primary key, execution_id text not null, node_name text not null, state text not null,
        metadata text, timestamp datetime not null, version integer not null, owner text not null)`);
    database.close();
    for (const table of ["checkpoints", "strict", "checkpoint_writes"]) {
      await using store = new SqliteCheckpointStore(file, { table });
      await expect(store.setup()).rejects.toMatchObject({ code: "INVALID_CONFIG", field: "table" });
    }
  });

  it("sorts and trims by time where a program of Go stored other zones", async () => {
    const { source, exec } = SQLITE_KINDS[0]?.open(newFile()) ?? {};
    if (source === undefined || exec === undefined) return;
    const store = new SqliteCheckpointStore(source);
    await store.setup();
    await store.save(at(Date.UTC(2026, 0, 1, 12), { id: "noon" }));
    exec(`insert into checkpoint_store values
      ('morning', 'e', null, 'n', '1', 'null', '2026-01-01 19:00:00.5+08:00', 1),
      ('evening', 'e', null, 'n', '1', 'null', '2026-01-01 11:00:00.123456789-06:00', 1)`);
    expect((await store.list("e")).map(({ id }) => id)).toEqual(["morning", "noon", "evening"]);
    expect((await store.latest("e"))?.timestamp).toEqual(new Date("2026-01-01T17:00:00.123Z"));
    await store.save(at(Date.UTC(2026, 0, 1, 13), { id: "one" }), { keepLast: 2 });
    expect((await store.list("e")).map(({ id }) => id)).toEqual(["one", "evening"]);
  });

  it("sorts equal times by version, also where a program of Go wrote them", async () => {
    const { source, exec } = SQLITE_KINDS[0]?.open(newFile()) ?? {};
    if (source === undefined || exec === undefined) return;
    const store = new SqliteCheckpointStore(source);
    await store.setup();
    for (const milliseconds of [0, 100, 120]) {
      await store.save(at(milliseconds, { id: `ours${milliseconds}`, version: 1 }));
    }
    exec(`insert into checkpoint_store values
      ('go0', 'e', null, 'n', '1', 'null', '1970-01-01 00:00:00+00:00', 2),
      ('go100', 'e', null, 'n', '1', 'null', '1970-01-01 00:00:00.1+00:00', 0),
      ('go120', 'e', null, 'n', '1', 'null', '1970-01-01 00:00:00.12+00:00', 2)`);
    const sorted = ["ours0", "go0", "go100", "ours100", "ours120", "go120"];
    expect((await store.list("e")).map(({ id }) => id)).toEqual(sorted);
    expect((await store.latest("e"))?.id).toBe("go120");
  });

  it("adds the threads to a table of the first langgraphgo, beside other processes", async () => {
    const file = newFile();
    const database = openNodeSqlite(file);
    database.exec(await readFile(new URL("sqlite-v0.5.0.sql", FIXTURES), "utf8"));
    database.close();
    const stores = [1, 2, 3].map(() => new SqliteCheckpointStore(file, { table: "checkpoints" }));
    await Promise.all(stores.map((store) => store.setup()));
    const [store] = stores;
    const ofThread = await store?.list({ threadId: "thread-only" });
    expect(ofThread?.map(({ id }) => id)).toEqual(["bare_thread"]);
    expect(await store?.list({ threadId: "user-9" })).toEqual(await store?.list("exec_run"));
    expect(await store?.list({ threadId: "7" })).toEqual([]);
    await Promise.all(stores.map((each) => each.end()));
  });

  it("names a record that it can't read", async () => {
    const { source, exec } = SQLITE_KINDS[0]?.open(newFile()) ?? {};
    if (source === undefined || exec === undefined) return;
    const store = new SqliteCheckpointStore(source);
    await store.setup();
    const damaged = {
      time: "'{}', null, 'yesterday', 1",
      version: "'{}', null, '2026-01-01 19:00:00+00:00', 'one'",
      state: "x'7b7d', null, '2026-01-01 19:00:00+00:00', 1",
      json: "'{', null, '2026-01-01 19:00:00+00:00', 1",
    };
    for (const [id, values] of Object.entries(damaged)) {
      exec(`insert into checkpoint_store values ('${id}', '${id}', null, 'n', ${values})`);
      await expect(store.load(id)).rejects.toMatchObject({ checkpointId: id });
      await expect(store.list(id)).rejects.toMatchObject({ checkpointId: id });
    }
  });
});
