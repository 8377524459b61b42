import { expect, it } from "@jest/globals";
import { CompiledQuery } from "kysely";
import { run } from "../../src/cli/index.js";
import { createServiceRole } from "../../test-support/service-role.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { TcpProxy } from "../../test-support/tcp-proxy.js";
import { cli, type CliOutcome, cliOn, importModule } from "./cli.js";
import { until } from "../../test-support/until.js";

const MIGRATION_LOCK = [
  "select pg_advisory_xact_lock(hashtextextended('langgraph-checkpoint-kysely public', 0))",
];
const LOCKED_TABLES = ["lock table checkpoints, checkpoint_kysely_migration in access exclusive mode"];
const WRITE = ["insert into checkpoints (thread_id, checkpoint_id, checkpoint) values ('t', '1', '{}')"];
/** The last phase of an index build waits for every older snapshot. Dropping the index waits only for users of its table. */
const OLD_SNAPSHOT = ["set transaction isolation level repeatable read", "select count(*) from pg_class"];
const WAITING = `
  select from pg_stat_activity
  where datname = current_database() and application_name = 'langgraph-checkpoint-kysely' and wait_event_type = 'Lock'`;

describeServer("an interrupt", (server) => {
  let database: TestDatabase<string>;

  /** Interrupts a command while it waits for the locks of a transaction, which stays open until the command has ended. */
  async function interruptBehind(
    statements: readonly string[],
    ...argv: string[]
  ): Promise<CliOutcome & { readonly isWaiting: boolean }> {
    const interrupt = new AbortController();
    const kysely = database.kysely<Record<string, never>>();
    return kysely.transaction().execute(async (transaction) => {
      for (const statement of statements) await transaction.executeQuery(CompiledQuery.raw(statement));
      const url = argv.includes("--url") ? [] : ["--url", database.source];
      const running = cli([...argv, ...url], { signal: interrupt.signal });
      await until(async () => (await database.query(WAITING)).length > 0);
      interrupt.abort();
      const outcome = await running;
      return { ...outcome, isWaiting: (await database.query(WAITING)).length > 0 };
    });
  }

  function interrupted(description: string) {
    return { code: 130, stdout: "", stderr: `error: interrupted${description}\n`, isWaiting: false };
  }

  it("ends the wait for another migration, and changes nothing", async () => {
    database = await server.createDatabase();
    expect(await interruptBehind(MIGRATION_LOCK, "migrate")).toEqual(interrupted(": nothing was changed"));
    expect(await database.query("select from pg_tables where schemaname = 'public'")).toEqual([]);
  });

  it("cancels a running step, and rolls back the steps before it", async () => {
    database = await server.migratedDatabase();
    await database.exec(
      "drop table checkpoint_kysely_migration; alter table checkpoint_blobs alter column blob set not null; drop table checkpoint_tombstones",
    );
    const lock = ["lock table checkpoint_blobs in access share mode"];
    const outcome = await interruptBehind(lock, "migrate", "--json");
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

  it("ends the wait of migrate down", async () => {
    database = await server.migratedDatabase();
    expect(await interruptBehind(MIGRATION_LOCK, "migrate", "down")).toEqual(
      interrupted(": nothing was reverted"),
    );
  });

  it("ends the wait of migrate status for a locked table", async () => {
    database = await server.migratedDatabase();
    expect(await interruptBehind(LOCKED_TABLES, "migrate", "status")).toEqual(interrupted(""));
  });

  it.each(["threads", "doctor"])(
    "ends the wait for a server that does not answer, about which %s prints a notice",
    async (command) => {
      const proxy = await TcpProxy.open((await server.sharedDatabase()).source);
      proxy.stall();
      const interrupt = new AbortController();
      const printed: string[] = [];
      const write = (text: string): void => {
        printed.push(text);
        interrupt.abort();
      };
      const io = { env: {}, stdout: { write }, stderr: { write }, signal: interrupt.signal, importModule };
      expect(await run([command, "--url", proxy.url], io)).toBe(130);
      expect(printed).toEqual([
        `waiting for an answer from ${new URL(proxy.url).host} (connection timeout: 15 s)\n`,
        "error: interrupted\n",
      ]);
      await proxy.close();
    },
  );

  it("ends the wait of doctor for a locked table", async () => {
    database = await server.migratedDatabase();
    expect(await interruptBehind(LOCKED_TABLES, "doctor")).toEqual(interrupted(""));
  });

  it("drops an unfinished optional index", async () => {
    database = await server.migratedDatabase();
    expect(await interruptBehind(OLD_SNAPSHOT, "migrate", "--with", "run-index")).toEqual(
      interrupted(': schema "public" is up to date; run-index is missing'),
    );
    expect(await database.query("select from pg_class where relname = 'checkpoint_run_idx'")).toEqual([]);
  });

  it("prints how to repair an index that can't be dropped because of a writer", async () => {
    database = await server.migratedDatabase();
    const { code, stderr } = await interruptBehind(WRITE, "migrate", "--with", "run-index");
    expect(code).toBe(130);
    expect(stderr).toMatch(
      /; run-index is broken: `migrate --with run-index` rebuilds it, `migrate --without run-index` drops it\n$/,
    );
    expect(await cliOn(database)("migrate", "--with", "run-index")).toMatchObject({ code: 0 });
  });

  // Behind a pooler, the backend of an earlier statement may serve another client by now.
  it("cancels the statements of a saver by the protocol, not with pg_cancel_backend", async () => {
    database = await server.migratedDatabase();
    const role = await createServiceRole(database);
    await database.exec("revoke execute on function pg_cancel_backend(integer) from public");
    const outcome = await interruptBehind(LOCKED_TABLES, "threads", "--url", role.url);
    expect(outcome).toEqual(interrupted(""));
    await role.drop();
  });
});
