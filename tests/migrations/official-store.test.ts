import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { PostgresStore as OfficialStore } from "@langchain/langgraph-checkpoint-postgres/store";
import { sql } from "kysely";
import { openDatabase } from "../../src/db/index.js";
import { IncompatibleTablesError } from "../../src/index.js";
import { convertStoreTables } from "../../src/migrations/index.js";
import { PostgresStore } from "../../src/store/index.js";
import { type OfficialIndex, officialStoreMigrations } from "../../test-support/official-store-migrations.js";
import { dumpSchema } from "../../test-support/schema-dump.js";
import { RESET } from "../../test-support/test-database.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { cli, cliOn } from "../cli/cli.js";
import { MIGRATION_NAMES } from "../../src/migrations/steps/saver-steps.js";

const MESSAGE = /tables of the official JavaScript PostgresStore/;
const COMMAND = "npx langgraph-checkpoint-kysely migrate --schema public --convert-store";
const STORE_STEPS = ["store-0001-create-store", "store-0002-create-indexes"];

/** The items of the official store in a database: with times, TTLs, and the namespace that a colon has split. */
async function fillOfficially({ source }: TestDatabase<string>): Promise<void> {
  const official = OfficialStore.fromConnString(source);
  await official.setup();
  await official.put(["users", "7"], "profile", { name: "Ada", score: 3.5, nested: { list: [1, null] } });
  await official.put(["users", "7"], "profile", { name: "Ada L.", score: 3.5, nested: { list: [1, null] } });
  await official.put(["users", "7", "facts"], "a:b.c", { text: "tea" }, undefined, { ttl: 60 });
  await official.put(["a:b"], "k", {});
  await official.put(["flat"], "k", { n: 1 });
  await official.stop();
}

describeServer("tables of the official JavaScript store", (target) => {
  it("are refused, with the command that converts them, and not changed", async () => {
    const database = await target.createDatabase();
    await fillOfficially(database);
    const before = await dumpSchema(database);
    await using store = new PostgresStore(database.source);
    const refused: unknown = await store.get(["users"], "k").catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(IncompatibleTablesError);
    expect(refused).toMatchObject({ layout: "javascript-store" });
    expect(String(refused)).toContain(COMMAND);
    for (const argv of [[], ["--check"], ["--plan"]]) {
      const { code, stderr } = await cliOn(database)("migrate", "--with", "store", ...argv);
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(MESSAGE) });
    }
    expect(await dumpSchema(database)).toEqual(before);
  });

  it("are converted with every item, its times and its expiry, and the other store's traces are gone", async () => {
    const database = await target.createDatabase();
    await fillOfficially(database);
    const itemsOf = (column: string) =>
      database.query(
        `select replace(${column}, ':', '.') as prefix, key, value, created_at, updated_at, expires_at
         from store order by 1, 2`,
      );
    const before = await itemsOf("namespace_path");
    const run = cliOn(database);
    expect(await run("migrate", "--convert-store")).toEqual({
      code: 0,
      stdout:
        "converted 4 items and 0 embeddings of the official JavaScript PostgresStore\n" +
        `${[...MIGRATION_NAMES, ...STORE_STEPS].map((name) => `applied ${name}\n`).join("")}schema "public" is up to date\n`,
      stderr: "",
    });
    expect(await itemsOf("prefix")).toEqual(before);
    expect(await database.query("select v from store_migrations order by v")).toEqual(
      [0, 1, 2, 3].map((v) => ({ v })),
    );

    await using store = new PostgresStore(database.source, { ensureTables: false });
    expect(await store.get(["users", "7"], "profile")).toMatchObject({
      value: { name: "Ada L.", score: 3.5, nested: { list: [1, null] } },
      version: 1,
    });
    expect(await store.get(["users", "7", "facts"], "a:b.c")).toMatchObject({ expiresAt: expect.any(Date) });
    expect(await store.listNamespaces()).toEqual([
      ["a", "b"],
      ["flat"],
      ["users", "7"],
      ["users", "7", "facts"],
    ]);
    await store.put(["users", "7"], "profile", { name: "Eve" });
    expect(await store.get(["users", "7"], "profile")).toMatchObject({ version: 2 });

    const left = await database.query<{ name: string }>(
      `select tgname as name from pg_trigger where not tgisinternal and not tgrelid::regclass::text like 'pg_dist_%'
       union all select proname from pg_proc p where pronamespace = 'public'::regnamespace
         and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
       union all select indexname from pg_indexes where tablename = 'store' order by 1`,
    );
    expect(left.map(({ name }) => name)).toEqual([
      "idx_store_expires_at",
      "store_pkey",
      "store_prefix_idx",
      "store_raise_version",
      "store_raise_version",
      "store_updated_idx",
      "store_value_idx",
    ]);
    expect(await run("migrate", "--convert-store")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /no tables of the official JavaScript PostgresStore: there is nothing to convert/,
      ),
    });
  });

  it("leave the function of their trigger to the application that uses it too", async () => {
    const database = await target.createDatabase();
    await fillOfficially(database);
    await database.exec(`
      create table orders (id int, updated_at timestamptz);
      create trigger touch before update on orders for each row execute function update_updated_at_column()`);
    expect(await cliOn(database)("migrate", "--convert-store")).toMatchObject({ code: 0 });
    await database.exec("insert into orders values (1, null); update orders set id = 2");
    expect(await database.query("select updated_at is null as untouched from orders")).toEqual([
      { untouched: false },
    ]);
    const triggers = await database.query(
      "select tgname from pg_trigger where tgname = 'update_store_updated_at'",
    );
    expect(triggers).toEqual([]);
  });

  it("are refused where a namespace would become another one, which is named, and nothing is changed", async () => {
    const database = await target.createDatabase();
    await fillOfficially(database);
    await database.exec(`
      insert into store (namespace_path, key, value) values
        ('users:a.b', 'k', '{}'), ('users:a.b', 'l', '{}'), ('', 'k', '{}'), ('x::y', 'k', '{}')`);
    const before = await dumpSchema(database);
    const { code, stderr } = await cliOn(database)("migrate", "--convert-store");
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining(
        'the namespaces "", "users:a.b", "x::y" have a label that is empty or contains a period',
      ),
    });
    expect(await dumpSchema(database)).toEqual(before);
    expect(await database.query("select count(*)::int as n from store")).toEqual([{ n: 8 }]);
  });

  it.each([
    [10, ""],
    [11, " and others"],
  ])("are refused with the first ten of %d namespaces that can't be converted", async (count, others) => {
    const database = await target.createDatabase();
    await fillOfficially(database);
    await database.exec(
      `insert into store (namespace_path, key, value) select 'x.' || n, 'k', '{}' from generate_series(1, ${count}) n`,
    );
    const named = ["1", "10", "11", "2", "3", "4", "5", "6", "7", "8", "9"].filter((n) => Number(n) <= count);
    const { kysely, close } = openDatabase(database.source);
    await expect(convertStoreTables(kysely)).rejects.toThrow(
      `the namespaces ${named
        .slice(0, 10)
        .map((n) => `"x.${n}"`)
        .join(", ")}${others} have a label that is empty or contains a period`,
    );
    await close();
  });

  it("are not converted where a trigger of the application deletes items meanwhile", async () => {
    const database = await target.createDatabase();
    await fillOfficially(database);
    await database.exec(`
      create function remove() returns trigger language plpgsql as $$ begin delete from store where key = 'profile'; return null; end $$;
      create trigger removes after update on store for each row when (new.key = 'a:b.c') execute function remove()`);
    const before = await dumpSchema(database);
    const { kysely, close } = openDatabase(database.source);
    await expect(convertStoreTables(kysely)).rejects.toThrow(
      'table "store" had 4 rows before the conversion, and has 3 after it',
    );
    await close();
    expect(await dumpSchema(database)).toEqual(before);
  });

  it("are not mistaken for a table of the application with that name, which is refused and not changed", async () => {
    const database = await target.createDatabase();
    await database.exec("create table store (id int primary key, city text)");
    const before = await dumpSchema(database);
    const run = cliOn(database);
    for (const option of [["--convert-store"], ["--with", "store"]]) {
      const { code, stdout } = await run("migrate", ...option, "--json");
      expect(code).toBe(1);
      expect(JSON.parse(stdout)).toEqual({
        error: {
          code: "INCOMPATIBLE_TABLES",
          message: expect.stringMatching(/table "store" of schema "public" lacks the columns "prefix"/),
        },
      });
    }
    expect(await dumpSchema(database)).toEqual(before);
  });
});

const INDEXES: readonly (readonly [string, readonly OfficialIndex[], string | undefined])[] = [
  ["its own", [{ metric: "l2", kind: "ivfflat" }], "ivfflat (embedding)"],
  [
    "that of the distance that it searches by",
    [
      { metric: "ip", kind: "hnsw" },
      { metric: "cosine", kind: "hnsw" },
      { metric: "l2", kind: "hnsw" },
    ],
    "hnsw (embedding vector_cosine_ops)",
  ],
  ["none", [], undefined],
];

describe("embeddings of the official JavaScript store", () => {
  // Opened by the library, which loads pgvector. Shared, since a PGlite with it takes seconds to start.
  let database: ReturnType<typeof openDatabase>;
  let kysely: typeof database.kysely;

  beforeAll(() => {
    database = openDatabase("memory://");
    kysely = database.kysely;
  });

  afterEach(() => sql.raw(RESET).execute(kysely));

  afterAll(() => database.close());

  it.each(INDEXES)(
    "are converted, and of their indexes the conversion keeps %s",
    async (_which, indexes, kept) => {
      for (const statement of officialStoreMigrations(3, indexes)) await sql.raw(statement).execute(kysely);
      await sql`
      insert into store (namespace_path, key, value) values ('a:b', 'k', '{"list": ["x", "y"]}'), ('a', 'l', '{}')`.execute(
        kysely,
      );
      await sql`
      insert into store_vectors (namespace_path, key, field_path, text_content, embedding, created_at) values
        ('a:b', 'k', 'list[*][0]', 'x', '[1,2,3]', '2024-01-01'),
        ('a:b', 'k', 'list[*][12]', 'y', '[4,5,6]', '2024-01-02'),
        ('a', 'l', '$', '{}', '[7,8,9]', '2024-01-03')`.execute(kysely);
      const { stdout, stderr } = await cli(["migrate", "--convert-store", "--json", "--url", "memory://"], {
        open: () => ({ ...database, close: () => Promise.resolve() }),
      });
      expect(stderr).toBe("");
      expect(JSON.parse(stdout)).toMatchObject({
        applied: [...MIGRATION_NAMES, ...STORE_STEPS, "vectors-0001-create-vectors"],
        converted: { items: 2, embeddings: 3 },
      });
      const { rows } = await sql`
      select prefix, key, field_name, embedding::text, text_hash, updated_at = created_at as "hasTime"
      from store_vectors order by created_at`.execute(kysely);
      const facts = { text_hash: null, hasTime: true };
      expect(rows).toEqual([
        { prefix: "a.b", key: "k", field_name: "list[*].0", embedding: "[1,2,3]", ...facts },
        { prefix: "a.b", key: "k", field_name: "list[*].12", embedding: "[4,5,6]", ...facts },
        { prefix: "a", key: "l", field_name: "$", embedding: "[7,8,9]", ...facts },
      ]);
      const found = await sql<{ text: string }>`
      select indexdef as text from pg_indexes where tablename = 'store_vectors' and indexdef like '%(embedding%'`.execute(
        kysely,
      );
      expect(found.rows.map(({ text }) => text.split("USING ")[1])).toEqual(kept === undefined ? [] : [kept]);
      await sql`delete from store where key = 'k'`.execute(kysely);
      const left = await sql`select key from store_vectors`.execute(kysely);
      expect(left.rows).toEqual([{ key: "l" }]);
      await expect(convertStoreTables(kysely)).rejects.toThrow(/nothing to convert/);
    },
  );
});
