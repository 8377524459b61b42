import { sql } from "kysely";
import { MigrationError, InvalidConfigError, VectorExtensionError } from "../../errors/index.js";
import { forgetVersions, recordVersions, type MigrationStep } from "./step.js";
import { vectorIndexOn, type VectorLayout } from "../vector-layout.js";

/** The migrations of Python's `PostgresStore` that this step does: its table, the index of prefixes, the columns of TTLs and their index. */
const PYTHON_VERSIONS = [0, 1, 2, 3];
const RAISE_VERSION = "store_raise_version";

/** Creates the table of Python's `PostgresStore`, or adopts it, and adds the versions of items. */
export const createStore: MigrationStep = {
  async up(db, schema) {
    await db.schema
      .createTable("store_migrations")
      .ifNotExists()
      .addColumn("v", "integer", (column) => column.primaryKey())
      .execute();

    await db.schema
      .createTable("store")
      .ifNotExists()
      .addColumn("prefix", "text", (column) => column.notNull())
      .addColumn("key", "text", (column) => column.notNull())
      .addColumn("value", "jsonb", (column) => column.notNull())
      .addColumn("created_at", "timestamptz", (column) => column.defaultTo(sql`current_timestamp`))
      .addColumn("updated_at", "timestamptz", (column) => column.defaultTo(sql`current_timestamp`))
      .addPrimaryKeyConstraint("store_pkey", ["prefix", "key"])
      .execute();
    const table = sql.id(schema, "store");
    await sql`alter table ${table}
      add column if not exists expires_at timestamptz,
      add column if not exists ttl_minutes double precision,
      add column if not exists version bigint not null default 1`.execute(db);
    // Python's integer rounds half a minute down to none, so that the item expires at the first refresh.
    await sql`alter table ${table} alter column ttl_minutes type double precision`.execute(db);
    await sql`create index if not exists store_prefix_idx on ${table} (prefix text_pattern_ops)`.execute(db);
    await sql`create index if not exists idx_store_expires_at on ${table} (expires_at)
      where expires_at is not null`.execute(db);

    // A trigger, so that what Python writes raises the version too.
    await sql`create or replace function ${sql.id(schema, RAISE_VERSION)}() returns trigger language plpgsql as
      ${sql.lit("begin new.version := old.version + 1; return new; end")}`.execute(db);
    await sql`create or replace trigger ${sql.id(RAISE_VERSION)} before update of value on ${table}
      for each row execute function ${sql.id(schema, RAISE_VERSION)}()`.execute(db);

    await recordVersions(db, "store_migrations", PYTHON_VERSIONS);
  },

  async down(db, schema) {
    const row = await db.selectFrom("store").select("prefix").limit(1).executeTakeFirst();
    if (row !== undefined) throw new MigrationError('table "store" holds items');
    await forgetVersions(db, "store_migrations", PYTHON_VERSIONS);
    await db.schema.dropTable("store").execute();
    await sql`drop function ${sql.id(schema, RAISE_VERSION)}()`.execute(db);
    await db.schema.dropTable("store_migrations").execute();
  },
};

/**
 * Creates the indexes for filters and for the newest items. Earlier versions also created `store_text_idx` here, which is an optional index
 * now. Undoing the step leaves it alone, since it may be wanted. Their `store_updated_idx` has no `expires_at`: searches read the items
 * that they skip then.
 */
export const createIndexes: MigrationStep = {
  async up(db, schema) {
    const table = sql.id(schema, "store");
    // `jsonb_path_ops` is smaller than the default, and supports the containment that filters use.
    await sql`create index if not exists store_value_idx on ${table} using gin (value jsonb_path_ops)`.execute(
      db,
    );
    // With what tells whether an item has expired, so that a search skips items without reading them.
    await sql`create index if not exists store_updated_idx on ${table}
      (updated_at desc, prefix collate "C", key collate "C") include (expires_at)`.execute(db);
  },

  async down(db) {
    for (const index of ["store_updated_idx", "store_value_idx"]) {
      await db.schema.dropIndex(index).execute();
    }
  },
};

/** The migrations of Python's `PostgresStore` that this step does: the extension, the table, the index. */
const PYTHON_VECTOR_VERSIONS = [0, 1];
const PYTHON_INDEX_VERSION = 2;

/** Creates the table of the embeddings of Python's `PostgresStore`, or adopts it, and adds the column by which unchanged texts are recognized. */
export function createVectors(layout: VectorLayout | undefined): MigrationStep {
  return {
    async up(db, schema) {
      // By the builder, since a plan sends only its queries.
      const extension = await db
        .selectFrom("pg_catalog.pg_available_extensions")
        .where("name", "=", "vector")
        .select("name")
        .executeTakeFirst();
      if (extension === undefined) throw new VectorExtensionError();
      await sql`create extension if not exists vector`.execute(db);
      await db.schema
        .createTable("vector_migrations")
        .ifNotExists()
        .addColumn("v", "integer", (column) => column.primaryKey())
        .execute();
      const { dims, type = "vector", index = { kind: "hnsw" } } = required(layout);
      await db.schema
        .createTable("store_vectors")
        .ifNotExists()
        .addColumn("prefix", "text", (column) => column.notNull())
        .addColumn("key", "text", (column) => column.notNull())
        .addColumn("field_name", "text", (column) => column.notNull())
        .addColumn("embedding", sql`${sql.raw(type)}(${sql.lit(dims)})`)
        .addColumn("created_at", "timestamptz", (column) => column.defaultTo(sql`current_timestamp`))
        .addColumn("updated_at", "timestamptz", (column) => column.defaultTo(sql`current_timestamp`))
        .addPrimaryKeyConstraint("store_vectors_pkey", ["prefix", "key", "field_name"])
        .addForeignKeyConstraint(
          "store_vectors_prefix_key_fkey",
          ["prefix", "key"],
          "store",
          ["prefix", "key"],
          (constraint) => constraint.onDelete("cascade"),
        )
        .execute();
      const table = sql.id(schema, "store_vectors");
      await sql`alter table ${table} add column if not exists text_hash bytea`.execute(db);
      // Without it, Postgres takes the index of embeddings for a small scope, and finds nothing of that scope.
      await sql`create index if not exists store_vectors_prefix_idx on ${table}
        (prefix text_pattern_ops)`.execute(db);
      if (index.kind !== "flat") {
        await sql`create index if not exists store_vectors_embedding_idx on ${table}
          ${vectorIndexOn("embedding", required(layout))}`.execute(db);
      }
      // One row at most: the model of all embeddings.
      await db.schema
        .createTable("store_embedding_model")
        .ifNotExists()
        .addColumn("single", "boolean", (column) =>
          column
            .primaryKey()
            .defaultTo(true)
            .check(sql`single`),
        )
        .addColumn("model", "text", (column) => column.notNull())
        .execute();
      await recordVersions(db, "vector_migrations", [
        ...PYTHON_VECTOR_VERSIONS,
        ...(index.kind === "flat" ? [] : [PYTHON_INDEX_VERSION]),
      ]);
    },

    async down(db) {
      const row = await db.selectFrom("store_vectors").select("prefix").limit(1).executeTakeFirst();
      if (row !== undefined) throw new MigrationError('table "store_vectors" holds embeddings');
      await forgetVersions(db, "vector_migrations", [...PYTHON_VECTOR_VERSIONS, PYTHON_INDEX_VERSION]);
      await db.schema.dropTable("store_embedding_model").execute();
      await db.schema.dropTable("store_vectors").execute();
      await db.schema.dropTable("vector_migrations").execute();
    },
  };
}

function required(layout: VectorLayout | undefined): VectorLayout {
  if (layout !== undefined) return layout;
  throw new InvalidConfigError("vectors", "the number of dimensions is missing: it can't be changed later");
}
