import { beforeAll, beforeEach, expect, it } from "@jest/globals";
import { PostgresStore } from "../../../src/store/index.js";
import { todaysGoTables } from "../../../test-support/langgraphgo-tables.js";
import { describePglite, type TestDatabase } from "../../../test-support/targets.js";
import { cliOn } from "../cli.js";
import { examine } from "./examine.js";

const MIGRATE = "npx langgraph-checkpoint-kysely migrate --schema public";

describePglite("doctor on optional tables", (target) => {
  let database: TestDatabase;
  let run: ReturnType<typeof cliOn>;

  beforeAll(async () => {
    database = await target.createDatabase();
    run = cliOn(database);
  });

  beforeEach(() => database.reset());

  async function found(check = "optional tables") {
    const findings = await examine(database);
    return findings.flatMap(({ check: name, ...finding }) => (name === check ? [finding] : []));
  }

  it("says that there are none", async () => {
    await run("migrate");
    expect(await found()).toEqual([{ state: "ok", message: 'schema "public" has none' }]);
  });

  it("names those that exist, also a checkpoint store's whatever it is called", async () => {
    await run("migrate", "--with", "store", "--with", "cache", "--with", "checkpoint-store");
    await run("migrate", "--with", "checkpoint-store", "--checkpoint-table", "go_runs");
    expect(await found()).toEqual(
      ["store", "cache", "checkpoint-store", 'checkpoint-store "go_runs"'].map((name) => ({
        state: "ok",
        message: `${name} is up to date`,
      })),
    );
    expect((await run("doctor")).stdout).toMatch(/^ok +optional tables +store is up to date$/m);
  });

  it("names the optional index of a store, also in a schema without savers", async () => {
    await using store = new PostgresStore(database.source);
    await store.setup();
    const message = "store-text-index does not exist; it is optional (migrate --with store-text-index)";
    expect(await found("indexes")).toEqual([{ state: "ok", message }]);
    await run("migrate", "--with", "store-text-index");
    const ready = { state: "ok", message: 'store-text-index "store_text_idx": ready' };
    expect(await found("indexes")).toContainEqual(ready);
  });

  it.each([
    ["store", "store_kysely_migration", "store-0002-create-indexes"],
    ["cache", "cache_kysely_migration", "cache-0001-create-cache"],
    [
      "checkpoint-store",
      "checkpoint_store_kysely_migration",
      "checkpoint-store-0001-create-checkpoint-store",
    ],
  ])(
    "reports pending steps of %s as an error of theirs alone, with the command",
    async (name, record, step) => {
      await run("migrate", "--with", name);
      await database.exec(`delete from ${record} where name = '${step}'`);
      expect(await found()).toEqual([
        { state: "error", message: `${name}: ${step} pending`, remedy: MIGRATE },
      ]);
      expect(await found("schema")).toMatchObject([{ state: "ok" }]);
      expect((await run("migrate")).stdout).toContain(`applied ${step}`);
      expect(await found()).toEqual([{ state: "ok", message: `${name} is up to date` }]);
    },
  );

  it("warns about steps that this version does not know", async () => {
    await run("migrate", "--with", "checkpoint-store");
    await database.exec("insert into checkpoint_store_kysely_migration values ('later-0002', 'then')");
    expect(await found()).toEqual([
      {
        state: "warning",
        message: "checkpoint-store is newer than this library, which does not know later-0002",
        remedy: "upgrade langgraph-checkpoint-kysely",
      },
    ]);
  });

  it("reports a table that another program has put in the place of ours", async () => {
    await run("migrate", "--with", "cache", "--with", "checkpoint-store");
    await database.exec(`
      drop table cache_entries; create table cache_entries (id int);
      drop table checkpoint_store; create table checkpoint_store (id int)`);
    expect(await found()).toEqual([
      { state: "error", message: expect.stringContaining("lacks the columns"), remedy: "use another schema" },
      { state: "error", message: expect.stringContaining("lacks the columns"), remedy: "use another schema" },
    ]);
  });

  it("does not take langgraphgo's checkpoints for those of a saver", async () => {
    await database.exec(todaysGoTables("checkpoints").schema);
    await run("migrate", "--with", "checkpoint-store", "--checkpoint-table", "checkpoints");
    expect(await found()).toEqual([{ state: "ok", message: 'checkpoint-store "checkpoints" is up to date' }]);
    const [schema] = (await found("schema")).slice(-1);
    expect(schema).toMatchObject({ state: "error", message: expect.stringContaining("lacks the columns") });
    await database.exec("create schema agents");
    const { stdout } = await run("doctor", "--schema", "agents");
    expect(stdout).toContain('schema "agents" has no checkpoint tables');
    expect(stdout).not.toContain("has some");
  });
});
