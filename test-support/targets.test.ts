import { beforeAll, describe, expect, it } from "@jest/globals";
import { sql } from "kysely";
import pg from "pg";
import { describeEachTarget, describeServer, type TestDatabase } from "./targets.js";
import { MIGRATION_NAMES } from "../src/migrations/steps/saver-steps.js";

interface Notes {
  note: { text: string };
}

const TABLES =
  "select count(*)::int as n from pg_tables where schemaname !~ '^(pg_catalog|information_schema|columnar)'";

describeEachTarget("a test database", (target) => {
  it("is empty and apart from every other", async () => {
    const [one, other] = [await target.createDatabase(), await target.createDatabase()];
    await one.exec("create table note (text text)");
    expect(await one.query(TABLES)).toEqual([{ n: 1 }]);
    expect(await other.query(TABLES)).toEqual([{ n: 0 }]);
  });

  it("is migrated where that is asked for, and apart from every other as well", async () => {
    const [one, other] = [await target.migratedDatabase(), await target.migratedDatabase()];
    await one.exec("drop table checkpoints");
    expect(await other.query("select from checkpoints")).toEqual([]);
    expect(await other.query("select name from checkpoint_kysely_migration order by name")).toEqual(
      MIGRATION_NAMES.map((name) => ({ name })),
    );
  });

  it("is seen alike through the source, Kysely and plain statements", async () => {
    const database = await target.createDatabase();
    await database.exec("create table note (text text); insert into note values ('first')");
    const db = database.kysely<Notes>();
    await db.insertInto("note").values({ text: "second" }).execute();
    expect(await database.query("select text from note where text <> $1", ["first"])).toEqual([
      { text: "second" },
    ]);
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from note`.execute(db);
    expect(rows).toEqual([{ n: 2 }]);
  });

  it("is empty again after a reset, whatever schemas it had", async () => {
    const database = await target.createDatabase();
    await database.exec('create schema "a-b"; create table "a-b".t (); create table t ()');
    await database.reset();
    expect(await database.query(TABLES)).toEqual([{ n: 0 }]);
    expect(await database.query("select to_regnamespace('public') is not null as there")).toEqual([
      { there: true },
    ]);
  });

  it("can be dropped by the test as well", async () => {
    const database = await target.createDatabase();
    database.kysely<Notes>();
    await database.drop();
    await database.drop();
    await expect(database.query("select 1")).rejects.toThrow();
  });

  let first: TestDatabase | undefined;

  it("ends with the test that created it …", async () => {
    first = await target.createDatabase();
    await expect(first.query("select 1 as one")).resolves.toEqual([{ one: 1 }]);
  });

  it("… and is gone in the next", async () => {
    await expect(first?.query("select 1")).rejects.toThrow();
  });

  describe("of a suite", () => {
    let shared: TestDatabase;
    beforeAll(async () => {
      shared = await target.createDatabase();
      await shared.exec("create table note (text text)");
    });

    it.each(["one", "two"])("lives through every test of it: %s", async () => {
      expect(await shared.query(TABLES)).toEqual([{ n: 1 }]);
    });
  });
});

describeServer("the server", (server) => {
  it("is handed out as a connection string", async () => {
    const database = await server.createDatabase();
    const client = new pg.Client(database.source);
    await client.connect();
    const { rows } = await client.query<{ name: string }>("select current_database() as name");
    await client.end();
    expect(database.source).toContain(rows[0]?.name);
  });

  it("outlives the termination of a backend that a test's own Kysely holds", async () => {
    const database = await server.createDatabase();
    const db = database.kysely<Notes>();
    await sql`select 1`.execute(db);
    await database.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    );
    expect(await database.query("select 1 as one")).toEqual([{ one: 1 }]);
  });
});
