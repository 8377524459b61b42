import { randomBytes } from "node:crypto";
import { beforeAll, beforeEach, expect, it } from "@jest/globals";
import { CompiledQuery } from "kysely";
import { run } from "../../src/cli/index.js";
import { openDatabase } from "../../src/db/index.js";
import { migrateToLatest } from "../../src/migrations/index.js";
import { describeServer, type TestDatabase } from "../support/targets.js";
import { TcpProxy } from "../support/tcp-proxy.js";
import { cli, type CliOutcome, cliOn } from "./cli.js";

const MIGRATION_LOCK = [
  "select pg_advisory_xact_lock(hashtextextended('langgraph-checkpoint-kysely public', 0))",
];
const LOCKED_TABLES = ["lock table checkpoints, checkpoint_kysely_migration in access exclusive mode"];
const WRITE = ["insert into checkpoints (thread_id, checkpoint_id, checkpoint) values ('t', '1', '{}')"];
/** The last phase of a build waits for it, whatever it has read; to drop an index waits for users of its table alone. */
const OLD_SNAPSHOT = ["set transaction isolation level repeatable read", "select count(*) from pg_class"];
const WAITING = `
  select from pg_stat_activity
  where datname = current_database() and application_name = 'langgraph-checkpoint-kysely' and wait_event_type = 'Lock'`;

describeServer("an interrupt", (server) => {
  let database: TestDatabase<string>;

  beforeAll(async () => {
    database = await server.createDatabase();
  });

  beforeEach(() => database.reset());

  /** Interrupts a command once it waits for what a transaction holds; tells what is left of it while that goes on. */
  async function interruptBehind(
    held: readonly string[],
    ...argv: string[]
  ): Promise<CliOutcome & { readonly isWaiting: boolean }> {
    const interrupt = new AbortController();
    const kysely = database.kysely<Record<string, never>>();
    return kysely.transaction().execute(async (transaction) => {
      for (const statement of held) await transaction.executeQuery(CompiledQuery.raw(statement));
      const url = argv.includes("--url") ? [] : ["--url", database.source];
      const running = cli([...argv, ...url], { signal: interrupt.signal });
      while ((await database.query(WAITING)).length === 0);
      interrupt.abort();
      const outcome = await running;
      return { ...outcome, isWaiting: (await database.query(WAITING)).length > 0 };
    });
  }

  async function migrated(): Promise<void> {
    const opened = openDatabase(database.source);
    await migrateToLatest(opened.kysely);
    await opened.close();
  }

  function interrupted(what: string) {
    return { code: 130, stdout: "", stderr: `error: interrupted${what}\n`, isWaiting: false };
  }

  it("ends the wait for another migration, and nothing was changed", async () => {
    expect(await interruptBehind(MIGRATION_LOCK, "migrate")).toEqual(interrupted(": nothing was changed"));
    expect(await database.query("select from pg_tables where schemaname = 'public'")).toEqual([]);
  });

  it("ends a step in the middle, which is rolled back with those before it", async () => {
    await migrated();
    await database.exec(
      "drop table checkpoint_kysely_migration; alter table checkpoint_blobs alter column blob set not null; drop table checkpoint_tombstones",
    );
    const held = ["lock table checkpoint_blobs in access share mode"];
    const outcome = await interruptBehind(held, "migrate", "--json");
    expect(outcome).toMatchObject({ code: 130, isWaiting: false });
    expect(JSON.parse(outcome.stdout)).toEqual({
      error: { code: "ABORTED", message: "interrupted: nothing was changed" },
    });
    expect(
      await database.query(
        "select from pg_tables where tablename in ('checkpoint_tombstones', 'checkpoint_kysely_migration')",
      ),
    ).toEqual([]);
  });

  it("ends the wait to undo a step", async () => {
    await migrated();
    expect(await interruptBehind(MIGRATION_LOCK, "migrate", "down")).toEqual(
      interrupted(": nothing was undone"),
    );
  });

  it("ends what migrate reads where a table is locked", async () => {
    await migrated();
    expect(await interruptBehind(LOCKED_TABLES, "migrate", "status")).toEqual(interrupted(""));
  });

  it.each(["threads", "doctor"])(
    "ends the wait for a server that is silent, which %s says",
    async (command) => {
      const proxy = await TcpProxy.open(database.source);
      proxy.stall();
      const interrupt = new AbortController();
      const said: string[] = [];
      const write = (text: string): void => {
        said.push(text);
        interrupt.abort();
      };
      const io = { env: {}, stdout: { write }, stderr: { write }, signal: interrupt.signal };
      expect(await run([command, "--url", proxy.url], io)).toBe(130);
      expect(said).toEqual([
        `waiting for ${new URL(proxy.url).host}, which has not answered yet; a connection may take up to 15 s\n`,
        "error: interrupted\n",
      ]);
      await proxy.close();
    },
  );

  it("ends an examination while it waits for a table", async () => {
    await migrated();
    expect(await interruptBehind(LOCKED_TABLES, "doctor")).toEqual(interrupted(""));
  });

  it("drops an optional index that it leaves half built", async () => {
    await migrated();
    expect(await interruptBehind(OLD_SNAPSHOT, "migrate", "--with", "run-index")).toEqual(
      interrupted(': schema "public" is up to date; run-index is missing'),
    );
    expect(await database.query("select from pg_class where relname = 'checkpoint_run_idx'")).toEqual([]);
  });

  it("says how to go on where a writer keeps the index from being dropped", async () => {
    await migrated();
    const { code, stderr } = await interruptBehind(WRITE, "migrate", "--with", "run-index");
    expect(code).toBe(130);
    expect(stderr).toMatch(
      /; run-index is left broken: `migrate --with run-index` builds it anew, `migrate --without run-index` drops it\n$/,
    );
    expect(await cliOn(database)("migrate", "--with", "run-index")).toMatchObject({ code: 0 });
  });

  // Behind a pooler the session that a command had first may be another client's by now, so that its number says nothing.
  it("cancels the statements of a saver by the protocol, not by the number of a session", async () => {
    const role = `client_${randomBytes(8).toString("hex")}`;
    await migrated();
    await database.exec(`
      create role ${role} login password 'secret';
      grant usage on schema public to ${role};
      grant select, insert, update, delete on all tables in schema public to ${role};
      revoke execute on function pg_cancel_backend(integer) from public`);
    const url = new URL(database.source);
    Object.assign(url, { username: role, password: "secret" });
    const outcome = await interruptBehind(LOCKED_TABLES, "threads", "--url", url.href);
    expect(outcome).toEqual(interrupted(""));
    await database.exec(`drop owned by ${role}; drop role ${role}`);
  });
});
