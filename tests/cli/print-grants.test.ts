import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { CompiledQuery } from "kysely";
import { MigrationRequiredError, PermissionError, PostgresSaver } from "../../src/index.js";
import {
  allVersions,
  checkpointOf,
  collect,
  listIds,
  metadataOf,
  newThread,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { cli, cliOn } from "./cli.js";

const PASSWORD = "secret";
const SCHEMAS = ["my-schema", 'it\'s "quoted"; drop table t; --\n$1'];

describe("migrate --print-grants", () => {
  const print = (...argv: string[]) => cli(["migrate", "--print-grants", ...argv]);

  it("prints one transaction of SQL for two roles, without a database", async () => {
    expect(await print("--schema", "agents", "--read-write", "app")).toEqual({
      code: 0,
      stdout: `-- Grants on the tables in schema "agents".
-- The tables and the roles must exist. Run this as the owner of the tables.
begin;

-- Read-write role: "app"
grant usage on schema "agents" to "app";
grant select, insert, update, delete on "agents"."checkpoints", "agents"."checkpoint_blobs", "agents"."checkpoint_writes", "agents"."checkpoint_tombstones" to "app";
grant select on "agents"."checkpoint_migrations", "agents"."checkpoint_kysely_migration" to "app";

-- Read-only role: "checkpoint_reader"
grant usage on schema "agents" to "checkpoint_reader";
grant select on "agents"."checkpoints", "agents"."checkpoint_blobs", "agents"."checkpoint_writes", "agents"."checkpoint_tombstones", "agents"."checkpoint_migrations", "agents"."checkpoint_kysely_migration" to "checkpoint_reader";

commit;
`,
      stderr: "",
    });
  });

  it("parses no connection string, and opens no database", async () => {
    const open = () => {
      throw new Error("a database was opened");
    };
    const env = { DATABASE_URL: "mysql://db" };
    expect(await cli(["migrate", "--print-grants"], { env, open })).toEqual(await print());
    expect((await cli(["migrate", "--check"], { env, open })).stderr).toContain("DATABASE_URL: must start");
  });

  it("notes that every role may create tables in an old public schema", async () => {
    expect((await print()).stdout).toContain(": revoke create on schema public from public;\nbegin;\n");
    expect((await print("--schema", "agents")).stdout).not.toContain("revoke");
  });

  it("prints the same statements as JSON", async () => {
    const { code, stdout } = await print("--json", "--read-only", "support");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      schema: "public",
      readWrite: { role: "checkpoint_writer", statements: Array(3).fill(expect.stringMatching(/^grant /)) },
      readOnly: { role: "support", statements: Array(2).fill(expect.stringMatching(/ to "support"$/)) },
    });
  });

  it.each([
    ["a plan", ["--print-grants", "--plan"], /'--print-grants' cannot be used with option '--plan'/],
    ["a check", ["--print-grants", "--check"], /'--print-grants' cannot be used with option '--check'/],
    ["a subcommand", ["down", "--print-grants"], /'--print-grants' does not apply to 'down'/],
    [
      "a read-write role without --print-grants",
      ["--read-write", "app"],
      /--read-write: requires --print-grants/,
    ],
    [
      "a read-only role without --print-grants",
      ["--plan", "--read-only", "app"],
      /--read-only: requires --print-grants/,
    ],
    ["an empty name", ["--print-grants", "--read-write", ""], /--read-write: must not be empty/],
    [
      "the name public",
      ["--print-grants", "--read-write", "public"],
      /--read-write: "public" can't be a role name/,
    ],
    ["the name none", ["--print-grants", "--read-only", "none"], /--read-only: "none" can't be a role name/],
    [
      "a name that is too long",
      ["--print-grants", "--read-only", "ü".repeat(32)],
      /not be longer than 63 bytes/,
    ],
  ])("exits with 2 for %s", async (_case, argv, message) => {
    const { code, stdout, stderr } = await cli(["migrate", ...argv]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^error: [^\n]+\n$/);
    expect(stderr).toMatch(message);
  });

  it("is listed in help, with an example", async () => {
    const { stdout } = await cli(["migrate", "--help"]);
    for (const option of ["--print-grants", "--read-write <role>", "--read-only <role>"])
      expect(stdout).toContain(option);
    expect(stdout.replaceAll(/\s+/g, " ")).toContain("needs no database");
    expect(stdout).toMatch(
      /\$ npx langgraph-checkpoint-kysely migrate --print-grants --schema agents --read-write /,
    );
  });
});

describeServer("the printed grants", (server) => {
  it.each(["public", "none"])("refuse only role names that PostgreSQL refuses too: %s", async (name) => {
    const database = await server.createDatabase();
    await expect(database.exec(`create role ${quoted(name)}`)).rejects.toMatchObject({ code: "42939" });
  });

  it("grant nothing if one of the roles is missing", async () => {
    const database = await server.createDatabase();
    const role = `writer_${randomBytes(8).toString("hex")}`;
    await cliOn(database)("migrate");
    await database.exec(`create role ${role}`);
    const named = ["--read-write", role, "--read-only", `${role}_missing`];
    const { stdout } = await cliOn(database)("migrate", "--print-grants", ...named);
    expect(await runOneByOne(database, stdout)).toMatchObject([{ code: "42704" }, { code: "25P02" }]);
    const [rights] = await database.query(
      "select has_table_privilege($1, 'checkpoints', 'select') as reads",
      [role],
    );
    await database.exec(`drop owned by ${role}; drop role ${role}`);
    expect(rights).toEqual({ reads: false });
  });

  describe.each(SCHEMAS)("in schema %j", (schema) => {
    const suffix = randomBytes(8).toString("hex");
    const roles = { readWrite: `writer "of" ${suffix}; --`, readOnly: `reader 'of' ${suffix}` };
    let database: TestDatabase<string>;
    let writer: PostgresSaver;
    let reader: PostgresSaver;

    beforeAll(async () => {
      database = await server.createDatabase();
      const run = cliOn(database);
      await run("migrate", "--schema", schema);
      await database.exec(`create table ${quoted(schema)}.other (id integer)`);
      for (const role of Object.values(roles)) {
        await database.exec(`create role ${quoted(role)} login password '${PASSWORD}'`);
      }
      const named = ["--read-write", roles.readWrite, "--read-only", roles.readOnly];
      const { stdout } = await run("migrate", "--print-grants", "--schema", schema, ...named);
      await database.exec(stdout);
      writer = new PostgresSaver(urlOf(database, roles.readWrite), undefined, { schema });
      reader = new PostgresSaver(urlOf(database, roles.readOnly), undefined, { schema });
    });

    afterAll(async () => {
      await writer.end();
      await reader.end();
      for (const role of Object.values(roles)) {
        await database.exec(`drop owned by ${quoted(role)}; drop role ${quoted(role)}`);
      }
    });

    it("allow every call of a saver to the read-write role", async () => {
      await writer.setup();
      const thread = newThread();
      const { config, checkpoint } = await putValues(writer, threadConfig(thread), { a: [1] });
      await writer.putWrites(config, [["a", 2]], "task");
      await writer.putWrites(config, [["__interrupt__", 3]], "task");
      await writer.putWrites(config, [["__interrupt__", 4]], "task");
      await writer.put(config, { ...checkpoint, channel_values: { a: [1] } }, metadataOf(1), {});
      const tuple = await writer.getTuple(config);
      expect(tuple?.checkpoint.channel_values).toEqual({ a: [1] });
      expect(tuple?.pendingWrites).toHaveLength(2);
      expect(await listIds(writer.list(threadConfig(thread)))).toEqual([checkpoint.id]);

      const batched = checkpointOf(writer, { b: [2] });
      await writer.batch(async (batch) => {
        await batch.deleteThread(thread);
        await batch.put(threadConfig(thread), batched, metadataOf(), allVersions(batched));
      });
      expect(await listIds(writer.list(threadConfig(thread)))).toEqual([batched.id]);
      await writer.deleteThread(thread);
      expect(await writer.getTuple(threadConfig(thread))).toBeUndefined();
    });

    it("allow only reads to the read-only role", async () => {
      const thread = newThread();
      const { config, checkpoint } = await putValues(writer, threadConfig(thread), { a: [1] });
      await reader.setup();
      expect((await reader.getTuple(config))?.checkpoint.channel_values).toEqual({ a: [1] });
      expect(await listIds(reader.list(threadConfig(thread)))).toEqual([checkpoint.id]);
      for (const forbidden of [
        () => putValues(reader, threadConfig(thread), { a: [2] }),
        () => reader.putWrites(config, [["a", 2]], "task"),
        () => reader.deleteThread(thread),
      ]) {
        await expect(forbidden()).rejects.toBeInstanceOf(PermissionError);
      }
      expect(await listIds(writer.list(threadConfig(thread)))).toEqual([checkpoint.id]);
    });

    it("allow both roles to read the recorded migrations", async () => {
      for (const role of Object.values(roles)) {
        const url = urlOf(database, role);
        const check = await cli(["migrate", "--check", "--schema", schema, "--url", url]);
        expect(check).toMatchObject({ code: 0, stderr: "" });
        const status = await cli(["migrate", "status", "--schema", schema, "--url", url]);
        expect(status.stdout).toContain("version 9 recorded");
      }
    });

    it("are all that either role has got", async () => {
      const rows = ["delete", "insert", "select", "update"];
      const on = (names: string[], rights: string[]) => names.map((name) => ({ name, rights }));
      const records = ["checkpoint_kysely_migration", "checkpoint_migrations"];
      const tables = ["checkpoint_blobs", "checkpoint_tombstones", "checkpoint_writes", "checkpoints"];
      expect(await rightsOf(roles.readWrite)).toEqual(
        [...on(tables, rows), ...on(records, ["select"])].sort((a, b) => (a.name < b.name ? -1 : 1)),
      );
      expect(await rightsOf(roles.readOnly)).toEqual(on([...tables, ...records].sort(), ["select"]));
      expect(
        await database.query(
          `select has_schema_privilege(rolname, $1, 'usage') as enters, has_schema_privilege(rolname, $1, 'create') as creates
           from pg_roles where rolname = any($2)`,
          [schema, Object.values(roles)],
        ),
      ).toEqual(Array(2).fill({ enters: true, creates: false }));
    });

    it("allow neither role to create, alter or drop tables, or to use other tables", async () => {
      const place = quoted(schema);
      for (const role of Object.values(roles)) {
        const as = (statement: string) =>
          database.exec(`set role ${quoted(role)}; ${statement}`).catch((error: unknown) => error);
        for (const statement of [
          `create table ${place}.mine (id integer)`,
          `alter table ${place}.checkpoints add column mine integer`,
          `drop table ${place}.checkpoint_writes`,
          `truncate ${place}.checkpoints`,
          `select from ${place}.other`,
          `insert into ${place}.checkpoint_kysely_migration values ('9999-future', '2030-01-01')`,
          `delete from ${place}.checkpoint_migrations`,
          `select from ${place}.checkpoint_kysely_migration_lock`,
        ]) {
          expect({ statement, error: await as(statement) }).toMatchObject({ error: { code: "42501" } });
        }
      }
    });

    it("don't allow migrations: setup() of either role throws if a step is pending", async () => {
      const reverted = await cliOn(database)("migrate", "down", "--schema", schema);
      expect(reverted.code).toBe(0);
      for (const saver of [writer, reader]) {
        const error = await saver.setup().catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(MigrationRequiredError);
        expect(error).toMatchObject({ schema, sqlState: "42501" });
      }
      await cliOn(database)("migrate", "--schema", schema);
      await writer.setup();
      expect(await collect(reader.list(threadConfig(newThread())))).toEqual([]);
    });

    /** The privileges of a role on each table of the schema. Tables without privileges are left out. */
    function rightsOf(role: string): Promise<Record<string, unknown>[]> {
      return database.query(
        `select relname as name, array_agg(lower(privilege_type) order by privilege_type) as rights
         from pg_class, aclexplode(relacl)
         where relnamespace = to_regnamespace(quote_ident($1)) and grantee = to_regrole(quote_ident($2))
         group by relname order by relname collate "C"`,
        [schema, role],
      );
    }
  });
});

/** Runs statements like psql, which continues after errors, and returns the errors. */
async function runOneByOne(database: TestDatabase, text: string): Promise<unknown[]> {
  const errors: unknown[] = [];
  await database
    .kysely<Record<string, never>>()
    .connection()
    .execute(async (connection) => {
      for (const statement of text.split(";\n")) {
        await connection.executeQuery(CompiledQuery.raw(statement)).catch((error: unknown) => {
          errors.push(error);
        });
      }
    });
  return errors;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function urlOf({ source }: TestDatabase<string>, role: string): string {
  const url = new URL(source);
  url.username = encodeURIComponent(role);
  url.password = PASSWORD;
  return url.href;
}
