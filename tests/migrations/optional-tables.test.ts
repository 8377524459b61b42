import { randomBytes } from "node:crypto";
import { beforeAll, beforeEach, expect, it } from "@jest/globals";
import { openDatabase } from "../../src/db/index.js";
import { MigrationRequiredError, PermissionError } from "../../src/index.js";
import { migrateDown, migrateToLatest, planMigrations } from "../../src/migrations/index.js";
import { PostgresStore } from "../../src/store/index.js";
import { dumpSchema } from "../../test-support/schema-dump.js";
import {
  describeEachTarget,
  describePglite,
  describeServer,
  describeVectors,
  onOneServer,
  type TestDatabase,
} from "../../test-support/targets.js";
import { cli, cliOn } from "../cli/cli.js";
import { MIGRATION_NAMES } from "../../src/migrations/steps/saver-steps.js";

const STORE = ["store-0001-create-store", "store-0002-create-indexes"];
const CACHE = ["cache-0001-create-cache"];
const CONVERSATIONS = ["conversations-0001-create-conversations"];

describeEachTarget("migrate --with store and cache", (target) => {
  let database: TestDatabase;
  let run: ReturnType<typeof cliOn>;

  beforeAll(async () => {
    database = await target.createDatabase();
    run = cliOn(database);
  });

  beforeEach(() => database.reset());

  it("creates the tables, which later commands know without the option", async () => {
    const with_ = ["--with", "store", "--with", "cache", "--with", "conversations"];
    expect(await run("migrate", ...with_, "--check")).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(`pending ${CACHE[0] ?? ""}`),
    });
    expect((await run("migrate", ...with_, "--schema", "mine")).stdout).toBe(
      [...MIGRATION_NAMES, ...STORE, ...CACHE, ...CONVERSATIONS].map((name) => `applied ${name}\n`).join("") +
        'schema "mine" is up to date\n',
    );
    expect(await run("migrate", ...with_, "--check", "--schema", "mine")).toMatchObject({ code: 0 });
    const { stdout } = await run("migrate", "status", "--schema", "mine");
    expect(stdout).toMatch(
      /cache-0001-create-cache +applied\nconversations-0001-create-conversations +applied\nstore-0001-create-store +applied\n/,
    );
    await using store = new PostgresStore(database.source, { schema: "mine", ensureTables: false });
    await store.put(["a"], "k", {});
    await database.exec("insert into mine.checkpoint_conversations (thread_id) values ('t')");
    expect(await run("migrate", "down", "--schema", "mine")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/table "checkpoint_conversations" holds conversations/),
    });
    await database.exec("delete from mine.checkpoint_conversations");
    for (const _ of [...CONVERSATIONS, ...CACHE, STORE[1]])
      expect(await run("migrate", "down", "--schema", "mine")).toMatchObject({ code: 0 });
    expect(await run("migrate", "down", "--schema", "mine")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/table "store" holds items/),
    });
    await database.exec("delete from mine.store; insert into mine.store_migrations values (4)");
    expect(await run("migrate", "down", "--schema", "mine")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('to version 4 of "store_migrations", which builds on version 3'),
    });
  });

  it("are forgotten once they are reverted, so that a later migration does not create them again", async () => {
    await run("migrate");
    const before = await dumpSchema(database);
    await run("migrate", "--with", "store", "--with", "cache", "--with", "conversations");
    for (const name of [...STORE, ...CACHE, ...CONVERSATIONS].reverse()) {
      expect((await run("migrate", "down")).stdout).toContain(name);
    }
    expect((await run("migrate")).stdout).toBe('schema "public" is up to date, nothing to do\n');
    const after = await dumpSchema(database);
    const [left] = await database.query(
      "select count(*)::int as functions from pg_proc where proname in ('store_raise_version', 'checkpoint_conversation_touch')",
    );
    expect(left).toEqual({ functions: 0 });
    expect(after).toEqual(before);
  });

  it("makes the SQL of --plan, which has the same result", async () => {
    const argv = ["--with", "store", "--with", "cache", "--with", "conversations", "--logged-cache"];
    await database.exec((await run("migrate", ...argv, "--plan")).stdout);
    const planned = await dumpSchema(database);
    await database.reset();
    await run("migrate", ...argv);
    expect(planned).toEqual(await dumpSchema(database));
    const [cache] = await database.query(
      "select relpersistence from pg_class where relname = 'cache_entries'",
    );
    expect(cache).toEqual({ relpersistence: "p" });
  });
});

describePglite("migrate --with vectors without pgvector", (target) => {
  it("says that it is missing", async () => {
    const run = cliOn(await target.createDatabase());
    expect(await run("migrate", "--with", "vectors", "--dims", "3")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/install pgvector/),
    });
  });
});

describeVectors("migrate --with vectors", (target) => {
  it("makes the same tables as its plan, in the layout of the options", async () => {
    const database = await target.createDatabase();
    const { kysely, close } = openDatabase(database.source);
    const layout = { dims: 4, type: "halfvec", distance: "l2", index: { kind: "ivfflat" } } as const;
    const { steps } = await planMigrations(kysely, { with: ["vectors"], vectors: layout });
    expect(steps.map(({ name }) => name)).toEqual([
      ...MIGRATION_NAMES,
      ...STORE,
      "vectors-0001-create-vectors",
    ]);
    const planned = steps.flatMap(({ statements }) => statements);
    expect(planned.find((text) => text.includes('"embedding" halfvec(4)'))).toBeDefined();
    const argv = ["--with", "vectors", "--dims", "4", "--vector-type", "halfvec", "--distance", "l2"];
    const outcome = await cliOn(database)("migrate", ...argv, "--vector-index", "ivfflat");
    expect(outcome).toMatchObject({ code: 0, stdout: expect.stringContaining("applied vectors-0001") });
    const [index] = await database.query<{ indexdef: string }>(
      "select indexdef from pg_indexes where indexname = 'store_vectors_embedding_idx'",
    );
    expect(index?.indexdef).toContain("USING ivfflat (embedding halfvec_l2_ops)");
    expect(await migrateToLatest(kysely)).toEqual([]);
    const versions = () => database.query("select v from vector_migrations order by v");
    expect(await versions()).toEqual([{ v: 0 }, { v: 1 }, { v: 2 }]);

    await database.exec(`
      insert into store (prefix, key, value) values ('a', 'k', '{}');
      insert into store_vectors (prefix, key, field_name, text_hash) values ('a', 'k', 'text', '');
      insert into store_embedding_model (model) values ('m')`);
    await expect(migrateDown(kysely)).rejects.toThrow('table "store_vectors" holds embeddings');
    await database.exec("delete from store_vectors; insert into vector_migrations values (3)");
    await expect(migrateDown(kysely)).rejects.toThrow('to version 3 of "vector_migrations"');
    await database.exec("delete from vector_migrations where v = 3");
    expect(await migrateDown(kysely)).toBe("vectors-0001-create-vectors");
    const left = await database.query("select to_regclass('store_vectors') is null as gone");
    expect(left).toEqual([{ gone: true }]);
    await migrateToLatest(kysely, { with: ["vectors"], vectors: { dims: 4, index: { kind: "flat" } } });
    expect(await versions()).toEqual([{ v: 0 }, { v: 1 }]);
    expect(
      await database.query(
        "select indexname as name from pg_indexes where tablename = 'store_vectors' order by 1",
      ),
    ).toEqual([{ name: "store_vectors_pkey" }, { name: "store_vectors_prefix_idx" }]);
    await close();
  });

  it("needs the number of dimensions", async () => {
    const database = await target.createDatabase();
    const { kysely, close } = openDatabase(database.source);
    await expect(migrateToLatest(kysely, { with: ["vectors"] })).rejects.toThrow(
      "the number of dimensions is missing: it can't be changed later",
    );
    await close();
  });
});

onOneServer("the trigger that distributes tables is its owner's", describeServer)(
  "a role without privileges",
  (target) => {
    // Roles belong to the server, which other suites use too.
    const suffix = randomBytes(4).toString("hex");
    const [writer, reader] = [`writer_${suffix}`, `reader_${suffix}`];

    it("reads in the error which command creates the tables, and uses them with the printed grants", async () => {
      const database = await target.createDatabase();
      const run = cliOn(database);
      await database.exec(
        `create role ${writer} login password 'x'; create role ${reader} login password 'x'`,
      );
      try {
        await using store = new PostgresStore(urlOf(database, writer));
        const refused: unknown = await store.setup().catch((error: unknown) => error);
        expect(refused).toBeInstanceOf(MigrationRequiredError);
        const [, command = ""] = /`npx langgraph-checkpoint-kysely (.*?)`/.exec(String(refused)) ?? [];
        expect(command).toBe("migrate --schema public --with store");
        expect(await run(...command.split(" "))).toMatchObject({ code: 0 });
        const grants = ["--print-grants", "--with", "store", "--read-write", writer, "--read-only", reader];
        await database.exec((await run("migrate", ...grants)).stdout);
        await store.put(["a"], "k", { n: 1 }, undefined, { ttl: 1 });
        expect(await store.sweep()).toBe(0);
        await using reading = new PostgresStore(urlOf(database, reader));
        expect(await reading.get(["a"], "k")).toMatchObject({ value: { n: 1 } });
        await expect(reading.put(["a"], "k", {})).rejects.toBeInstanceOf(PermissionError);
        const rows = await database.query(
          `select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
         and has_table_privilege($1, oid, 'insert') and relname !~ '^checkpoint'`,
          [writer],
        );
        expect(rows).toEqual([{ relname: "store" }]);
      } finally {
        await database.exec(`drop owned by ${writer}, ${reader}; drop role ${writer}, ${reader}`);
      }
    });
  },
);

function urlOf({ source }: TestDatabase<string>, role: string): string {
  const url = new URL(source);
  url.username = role;
  url.password = "x";
  return url.href;
}

it.each([
  [["--dims", "3"], /--dims: requires --with vectors/],
  [["--with", "store", "--distance", "l2"], /--distance: requires --with vectors/],
  [["--logged-cache"], /--logged-cache: requires --with cache/],
  [["--with", "vectors"], /--dims: required for --with vectors/],
  [["--with", "vectors", "--dims", "0"], /at least 1/],
  [["--with", "else"], /Allowed choices are store, vectors, cache/],
])("migrate refuses %j before it opens a database", async (argv, message) => {
  const open = () => {
    throw new Error("a database was opened");
  };
  const { code, stderr } = await cli(["migrate", ...argv, "--url", "memory://"], { open });
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(message) });
});
