import { KEY_TYPE, type MigrationStep, recordVersions, type MigratedTables, forgetVersions } from "./step.js";
import { sql, type Kysely } from "kysely";
import { MigrationError } from "../../errors/index.js";

const TABLES = ["checkpoints", "checkpoint_blobs", "checkpoint_writes"] as const;
const VERSIONS_OF_TABLES = [0, 1, 2, 3];

/** Creates the four tables of the official savers. Existing tables are adopted unchanged. */
const createTables: MigrationStep = {
  async up(db) {
    await db.schema
      .createTable("checkpoint_migrations")
      .ifNotExists()
      .addColumn("v", "integer", (column) => column.primaryKey())
      .execute();

    await db.schema
      .createTable("checkpoints")
      .ifNotExists()
      .addColumn("thread_id", KEY_TYPE, (column) => column.notNull())
      .addColumn("checkpoint_ns", KEY_TYPE, (column) => column.notNull().defaultTo(""))
      .addColumn("checkpoint_id", KEY_TYPE, (column) => column.notNull())
      .addColumn("parent_checkpoint_id", KEY_TYPE)
      .addColumn("type", "text")
      .addColumn("checkpoint", "jsonb", (column) => column.notNull())
      .addColumn("metadata", "jsonb", (column) => column.notNull().defaultTo(sql`'{}'`))
      .addPrimaryKeyConstraint("checkpoints_pkey", ["thread_id", "checkpoint_ns", "checkpoint_id"])
      .execute();

    await db.schema
      .createTable("checkpoint_blobs")
      .ifNotExists()
      .addColumn("thread_id", KEY_TYPE, (column) => column.notNull())
      .addColumn("checkpoint_ns", KEY_TYPE, (column) => column.notNull().defaultTo(""))
      .addColumn("channel", KEY_TYPE, (column) => column.notNull())
      .addColumn("version", KEY_TYPE, (column) => column.notNull())
      .addColumn("type", "text", (column) => column.notNull())
      .addColumn("blob", "bytea", (column) => column.notNull())
      .addPrimaryKeyConstraint("checkpoint_blobs_pkey", ["thread_id", "checkpoint_ns", "channel", "version"])
      .execute();

    // No foreign key to checkpoints: LangGraph stores writes in parallel with their checkpoint.
    await db.schema
      .createTable("checkpoint_writes")
      .ifNotExists()
      .addColumn("thread_id", KEY_TYPE, (column) => column.notNull())
      .addColumn("checkpoint_ns", KEY_TYPE, (column) => column.notNull().defaultTo(""))
      .addColumn("checkpoint_id", KEY_TYPE, (column) => column.notNull())
      .addColumn("task_id", KEY_TYPE, (column) => column.notNull())
      .addColumn("idx", "integer", (column) => column.notNull())
      .addColumn("channel", KEY_TYPE, (column) => column.notNull())
      .addColumn("type", "text")
      .addColumn("blob", "bytea", (column) => column.notNull())
      .addPrimaryKeyConstraint("checkpoint_writes_pkey", [
        "thread_id",
        "checkpoint_ns",
        "checkpoint_id",
        "task_id",
        "idx",
      ])
      .execute();

    await recordVersions(db, "checkpoint_migrations", VERSIONS_OF_TABLES);
  },

  async down(db) {
    await refuseUnlessEmpty(db);
    for (const table of [...TABLES, "checkpoint_migrations"]) await db.schema.dropTable(table).execute();
  },
};

async function refuseUnlessEmpty(db: Kysely<MigratedTables>): Promise<void> {
  for (const table of TABLES) {
    const row = await db.selectFrom(table).select("thread_id").limit(1).executeTakeFirst();
    if (row !== undefined) throw new MigrationError(`table "${table}" holds rows, which would be lost`);
  }
}

const VERSIONS_OF_EMPTY_BLOBS = [4];

/** Allows blobs without bytes: an emptied channel is a row of the type `empty`. */
const allowEmptyBlobs: MigrationStep = {
  async up(db) {
    await db.schema
      .alterTable("checkpoint_blobs")
      .alterColumn("blob", (column) => column.dropNotNull())
      .execute();
    await recordVersions(db, "checkpoint_migrations", VERSIONS_OF_EMPTY_BLOBS);
  },

  async down(db) {
    const empty = await db
      .selectFrom("checkpoint_blobs")
      .select("thread_id")
      .where("blob", "is", null)
      .limit(1)
      .executeTakeFirst();
    if (empty !== undefined) {
      throw new MigrationError(
        `thread "${empty.thread_id}" has an emptied channel, which the older schema can't store`,
      );
    }
    await forgetVersions(db, "checkpoint_migrations", VERSIONS_OF_EMPTY_BLOBS);
    await db.schema
      .alterTable("checkpoint_blobs")
      .alterColumn("blob", (column) => column.setNotNull())
      .execute();
  },
};

// Version 5 does nothing. Versions 6 to 8 create indexes on thread_id, which the primary keys make redundant.
const VERSIONS_OF_TASK_PATH = [5, 6, 7, 8, 9];

/** Adds the path of a task in the graph, by which pending writes are ordered first. */
const addTaskPath: MigrationStep = {
  async up(db) {
    await db.schema
      .alterTable("checkpoint_writes")
      .addColumn("task_path", sql`text`, (column) => column.ifNotExists().notNull().defaultTo(""))
      .execute();
    await recordVersions(db, "checkpoint_migrations", VERSIONS_OF_TASK_PATH);
  },

  async down(db) {
    const used = await db
      .selectFrom("checkpoint_writes")
      .select("thread_id")
      .where("task_path", "<>", "")
      .limit(1)
      .executeTakeFirst();
    if (used !== undefined) {
      throw new MigrationError(`thread "${used.thread_id}" has writes with a task path, which would be lost`);
    }
    await forgetVersions(db, "checkpoint_migrations", VERSIONS_OF_TASK_PATH);
    await db.schema.alterTable("checkpoint_writes").dropColumn("task_path").execute();
  },
};

const COMPRESSED_TABLES = ["checkpoint_blobs", "checkpoint_writes"] as const;

/** The compression methods of a column, as the catalog stores them. */
const COMPRESSION = { notSet: "", lz4: "l" } as const;

/**
 * Compresses new values with LZ4 if the server was built with it: the default, pglz, takes most of the time of storing a large
 * value. The step changes only the catalog; stored rows stay as they are. A column with a compression method of its own is left
 * unchanged.
 */
const compressByLz4: MigrationStep = {
  async up(db, schema) {
    if (!(await hasLz4(db))) return;
    for (const table of COMPRESSED_TABLES) {
      // A plan runs before the tables exist.
      const compression = (await compressionOf(db, schema, table)) ?? COMPRESSION.notSet;
      if (compression === COMPRESSION.notSet) await setCompression(db, schema, table, "lz4");
    }
  },

  async down(db, schema) {
    for (const table of COMPRESSED_TABLES) {
      const compression = await compressionOf(db, schema, table);
      if (compression === COMPRESSION.lz4) await setCompression(db, schema, table, "default");
    }
  },
};

/** Distributions and cloud providers build PostgreSQL with LZ4. Some small builds lack it. */
async function hasLz4(db: Kysely<MigratedTables>): Promise<boolean> {
  const setting = await db
    .selectFrom("pg_catalog.pg_settings")
    .select("name")
    .where("name", "=", "default_toast_compression")
    .where((eb) => eb(eb.val("lz4"), "=", eb.fn.any("enumvals")))
    .executeTakeFirst();
  return setting !== undefined;
}

async function compressionOf(
  db: Kysely<MigratedTables>,
  schema: string,
  table: string,
): Promise<string | undefined> {
  const column = await db
    .selectFrom("pg_catalog.pg_attribute as column")
    .innerJoin("pg_catalog.pg_class as table", "table.oid", "column.attrelid")
    .innerJoin("pg_catalog.pg_namespace as schema", "schema.oid", "table.relnamespace")
    .select("column.attcompression")
    .where("schema.nspname", "=", schema)
    .where("table.relname", "=", table)
    .where("column.attname", "=", "blob")
    .executeTakeFirst();
  return column?.attcompression;
}

// Kysely's builder does not support this statement.
async function setCompression(
  db: Kysely<MigratedTables>,
  schema: string,
  table: string,
  method: "lz4" | "default",
): Promise<void> {
  const change = sql`alter table ${sql.id(schema, table)} alter column ${sql.id("blob")}`;
  await sql`${change} set compression ${sql.raw(method)}`.execute(db);
}

/** Creates the table of deleted threads, in which savers with `keepTombstones` record them. */
const createTombstones: MigrationStep = {
  async up(db) {
    await db.schema
      .createTable("checkpoint_tombstones")
      .ifNotExists()
      .addColumn("thread_id", KEY_TYPE, (column) => column.primaryKey())
      .addColumn("deleted_at", "timestamptz", (column) => column.notNull().defaultTo(sql`now()`))
      .execute();
  },

  async down(db) {
    const row = await db.selectFrom("checkpoint_tombstones").select("thread_id").limit(1).executeTakeFirst();
    if (row !== undefined) {
      throw new MigrationError(
        'table "checkpoint_tombstones" holds rows: without them, deleted threads could be written to again',
      );
    }
    await db.schema.dropTable("checkpoint_tombstones").execute();
  },
};

/**
 * Adds the columns of values that are stored as a splice of an earlier version: the version that they refer to, and the length of
 * the whole value. Both are NULL for a whole value. The official savers insert by column names, so they don't notice.
 */
const addSpliceBase: MigrationStep = {
  async up(db) {
    await db.schema
      .alterTable("checkpoint_blobs")
      // Without a collation of its own. An adopted table may have another collation for `version` than ours, and Postgres compares
      // text of the default collation with either.
      .addColumn("base", sql`text`, (column) => column.ifNotExists())
      .addColumn("whole_bytes", "integer", (column) => column.ifNotExists())
      .execute();
  },

  async down(db) {
    const spliced = await db
      .selectFrom("checkpoint_blobs")
      .select("thread_id")
      .where("base", "is not", null)
      .limit(1)
      .executeTakeFirst();
    if (spliced !== undefined) {
      throw new MigrationError(
        `thread "${spliced.thread_id}" has values that are stored as splices, which the older schema can't store: expand it first`,
      );
    }
    await db.schema.alterTable("checkpoint_blobs").dropColumn("base").dropColumn("whole_bytes").execute();
  },
};

/** Every step by its recorded name, oldest first. */
export const MIGRATION_STEPS: Readonly<Record<string, MigrationStep>> = {
  "0001-create-tables": createTables,
  "0002-allow-empty-blobs": allowEmptyBlobs,
  "0003-add-task-path": addTaskPath,
  "0004-compress-by-lz4": compressByLz4,
  "0005-create-tombstones": createTombstones,
  "0006-add-splice-base": addSpliceBase,
};

/** The names of `MIGRATION_STEPS`, oldest first. */
export const MIGRATION_NAMES: readonly string[] = Object.keys(MIGRATION_STEPS).sort();
