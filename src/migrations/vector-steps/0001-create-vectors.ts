import { sql } from "kysely";
import { InvalidConfigError, MigrationError, VectorExtensionError } from "../../errors/index.js";
import { forgetVersions, recordVersions } from "../steps/record-versions.js";
import type { MigrationStep } from "../steps/step.js";
import { vectorIndexOn } from "../vector-index.js";
import type { VectorLayout } from "../vector-layout.js";

/** The migrations of Python's `PostgresStore` that this step does: the extension, the table, the index. */
const PYTHON_VERSIONS = [0, 1];
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
        ...PYTHON_VERSIONS,
        ...(index.kind === "flat" ? [] : [PYTHON_INDEX_VERSION]),
      ]);
    },

    async down(db) {
      const row = await db.selectFrom("store_vectors").select("prefix").limit(1).executeTakeFirst();
      if (row !== undefined) throw new MigrationError('table "store_vectors" holds embeddings');
      await forgetVersions(db, "vector_migrations", [...PYTHON_VERSIONS, PYTHON_INDEX_VERSION]);
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
