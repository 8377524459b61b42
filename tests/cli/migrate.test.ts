import { beforeAll, beforeEach, expect, it } from "@jest/globals";
import { CompiledQuery } from "kysely";
import { openUrl } from "../../src/cli/run/open-url.js";
import type { OpenedDatabase } from "../../src/db/index.js";
import { PostgresSaver } from "../../src/index.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { dumpSchema } from "../../test-support/schema-dump.js";
import {
  describeEachTarget,
  describeServer,
  onOneServer,
  type TestDatabase,
} from "../../test-support/targets.js";
import { cli, cliOn } from "./cli.js";
import { MIGRATION_NAMES } from "../../src/migrations/steps/saver-steps.js";

const itOnOneServer = onOneServer("it says which tables are distributed", it);

const APPLIED = MIGRATION_NAMES.map((name) => `applied ${name}\n`).join("");
const [NEWEST = ""] = [...MIGRATION_NAMES].reverse();

describeEachTarget("migrate", (target) => {
  let database: TestDatabase;
  let run: ReturnType<typeof cliOn>;

  beforeAll(async () => {
    database = await target.createDatabase();
    run = cliOn(database);
  });

  beforeEach(() => database.reset());

  it("runs the pending steps and names them, and does nothing the second time", async () => {
    expect(await run("migrate")).toEqual({
      code: 0,
      stdout: `${APPLIED}schema "public" is up to date\n`,
      stderr: "",
    });
    expect(await run("migrate")).toEqual({
      code: 0,
      stdout: 'schema "public" is up to date, nothing to do\n',
      stderr: "",
    });
  });

  it("works only in the schema of --schema", async () => {
    expect(await run("migrate", "--schema", "my-schema")).toMatchObject({ code: 0 });
    expect(
      await database.query(
        "select distinct table_schema from information_schema.tables where table_name like 'checkpoint%'",
      ),
    ).toEqual([{ table_schema: "my-schema" }]);
    expect(await run("migrate", "--check", "--schema", "my-schema")).toMatchObject({ code: 0 });
    expect(await run("migrate", "--check")).toMatchObject({ code: 1 });
  });

  it("--check exits with 1 and names pending steps, or exits with 0, and changes nothing", async () => {
    const pending = MIGRATION_NAMES.map((name) => `pending ${name}\n`).join("");
    const before = await dumpSchema(database);
    expect(await run("migrate", "--check")).toEqual({
      code: 1,
      stdout: `schema "public" is behind\n${pending}`,
      stderr: "",
    });
    expect(await dumpSchema(database)).toEqual(before);
    await run("migrate");
    expect(await run("migrate", "--check")).toEqual({
      code: 0,
      stdout: 'schema "public" is up to date\n',
      stderr: "",
    });
  });

  itOnOneServer("status lists applied, pending and unknown steps ordered by name", async () => {
    await run("migrate");
    await run("migrate", "down");
    await database.exec("insert into checkpoint_kysely_migration values ('9999-future', '2030-01-01')");
    expect(await run("migrate", "status")).toEqual({
      code: 0,
      stdout: `schema "public"

STEP                    STATE
0001-create-tables      applied
0002-allow-empty-blobs  applied
0003-add-task-path      applied
0004-compress-by-lz4    applied
0005-create-tombstones  applied
0006-add-splice-base    pending
9999-future             unknown

OPTIONAL INDEX    STATE
time-index        missing
metadata-index    missing
run-index         missing
waiting-index     missing
text-index        missing
store-text-index  missing

migrations of the official savers: version 9 recorded
`,
      stderr: "",
    });
  });

  it("status shows that no official saver has migrated the schema", async () => {
    const { stdout } = await run("migrate", "status");
    expect(stdout).toMatch(/official savers: none recorded\n$/);
  });

  it("down reverts one step at a time, until none is left", async () => {
    await run("migrate");
    for (const name of [...MIGRATION_NAMES].reverse()) {
      expect(await run("migrate", "down")).toEqual({ code: 0, stdout: `reverted ${name}\n`, stderr: "" });
    }
    expect(await run("migrate", "down")).toEqual({
      code: 0,
      stdout: 'schema "public" has no step to revert\n',
      stderr: "",
    });
  });

  it("down refuses to revert a step if data would be lost", async () => {
    await run("migrate");
    for (let step = MIGRATION_NAMES.length; step > 3; step--) await run("migrate", "down");
    const saver = new PostgresSaver(database.source);
    const { config } = await putValues(saver, threadConfig("t"), { a: [1] });
    await saver.putWrites(config, [["a", 1]], "task", "~path");
    await saver.end();
    const { code, stdout, stderr } = await run("migrate", "down");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^error: step .*thread "t" has writes with a task path, which would be lost\n$/);
    expect((await run("migrate", "status")).stdout).toContain("0003-add-task-path      applied");
  });

  itOnOneServer("prints one JSON document with --json", async () => {
    const json = async (...argv: string[]): Promise<unknown> =>
      JSON.parse((await run("migrate", ...argv, "--json")).stdout);
    const status = {
      schema: "public",
      unknown: [],
      missing: [],
      indexes: {
        "time-index": "missing",
        "metadata-index": "missing",
        "run-index": "missing",
        "waiting-index": "missing",
        "text-index": "missing",
        "store-text-index": "missing",
      },
    };
    expect(await json("--check")).toEqual({ schema: "public", upToDate: false, pending: MIGRATION_NAMES });
    expect(await json("--plan")).toMatchObject({
      schema: "public",
      steps: MIGRATION_NAMES.map((name) => ({ name })),
    });
    expect(await json("status")).toEqual({
      ...status,
      applied: [],
      pending: MIGRATION_NAMES,
      officialVersion: null,
    });
    expect(await json()).toEqual({ schema: "public", applied: MIGRATION_NAMES });
    expect(await json()).toEqual({ schema: "public", applied: [] });
    expect(await json("status")).toEqual({
      ...status,
      applied: MIGRATION_NAMES,
      pending: [],
      officialVersion: 9,
    });
    expect(await json("--plan")).toEqual({ schema: "public", preparation: [], steps: [] });
    expect(await json("down")).toEqual({ schema: "public", undone: NEWEST });
  });
});

describeServer("migrate", (server) => {
  it("prints the command to run as another role if the role lacks privileges, and changes nothing", async () => {
    const database = await server.createDatabase();
    const role = `reader_${Date.now()}`;
    await database.exec(`create role ${role} login password 'pa55word'`);
    const url = new URL(database.source);
    url.username = role;
    url.password = "pa55word";
    const { code, stderr } = await cli(["migrate", "--url", url.href]);
    await database.exec(`drop role ${role}`);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^error: schema "public" lacks 0001-create-tables, .*this role may not change it .*\n$/,
    );
    expect(stderr).toContain("npx langgraph-checkpoint-kysely migrate --schema public");
    expect(await database.query("select from pg_tables where schemaname = 'public'")).toEqual([]);
  });

  it("fails after the lock timeout while another migration holds the lock", async () => {
    const database = await server.createDatabase();
    const kysely = database.kysely<Record<string, never>>();
    const outcome = await kysely.transaction().execute(async (transaction) => {
      await transaction.executeQuery(
        CompiledQuery.raw(
          "select pg_advisory_xact_lock(hashtextextended('langgraph-checkpoint-kysely public', 0))",
        ),
      );
      return cliOn(database)("migrate", "--lock-timeout", "50", "--json");
    });
    expect(outcome).toMatchObject({ code: 1, stderr: expect.stringContaining("error: waited 50 ms") });
    expect(JSON.parse(outcome.stdout)).toEqual({
      error: { code: "MIGRATION_FAILED", message: expect.stringContaining("waited 50 ms") },
    });
  });

  it("reads the connection string from the environment", async () => {
    const database = await server.createDatabase();
    const env = { DATABASE_URL: database.source };
    expect(await cli(["migrate", "--check"], { env })).toMatchObject({ code: 1 });
    expect(await cli(["migrate"], { env })).toMatchObject({ code: 0 });
  });

  it("closes the database after success and failure", async () => {
    const database = await server.createDatabase();
    const opened: OpenedDatabase[] = [];
    const open = (url: string): OpenedDatabase => {
      const one = openUrl(url);
      opened.push(one);
      return one;
    };
    expect(await cli(["migrate", "--url", database.source], { open })).toMatchObject({ code: 0 });
    expect(await cli(["migrate", "--url", `${database.source}_missing`], { open })).toMatchObject({
      code: 1,
    });
    expect(opened.map(({ closed }) => closed)).toEqual([true, true]);
  });
});
