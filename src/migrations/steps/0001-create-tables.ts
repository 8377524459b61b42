import { sql, type Kysely } from "kysely";
import { MigrationError } from "../../errors/index.js";
import { recordVersions } from "./record-versions.js";
import { KEY_COLLATION, type MigratedTables, type MigrationStep } from "./step.js";

const TABLES = ["checkpoints", "checkpoint_blobs", "checkpoint_writes"] as const;
const OFFICIAL_VERSIONS = [0, 1, 2, 3];

const key = sql`text collate ${sql.ref(KEY_COLLATION)}`;

/** Creates the four tables of the official savers. Existing tables are adopted unchanged. */
export const createTables: MigrationStep = {
  async up(db) {
    await db.schema
      .createTable("checkpoint_migrations")
      .ifNotExists()
      .addColumn("v", "integer", (column) => column.primaryKey())
      .execute();

    await db.schema
      .createTable("checkpoints")
      .ifNotExists()
      .addColumn("thread_id", key, (column) => column.notNull())
      .addColumn("checkpoint_ns", key, (column) => column.notNull().defaultTo(""))
      .addColumn("checkpoint_id", key, (column) => column.notNull())
      .addColumn("parent_checkpoint_id", key)
      .addColumn("type", "text")
      .addColumn("checkpoint", "jsonb", (column) => column.notNull())
      .addColumn("metadata", "jsonb", (column) => column.notNull().defaultTo(sql`'{}'`))
      .addPrimaryKeyConstraint("checkpoints_pkey", ["thread_id", "checkpoint_ns", "checkpoint_id"])
      .execute();

    await db.schema
      .createTable("checkpoint_blobs")
      .ifNotExists()
      .addColumn("thread_id", key, (column) => column.notNull())
      .addColumn("checkpoint_ns", key, (column) => column.notNull().defaultTo(""))
      .addColumn("channel", key, (column) => column.notNull())
      .addColumn("version", key, (column) => column.notNull())
      .addColumn("type", "text", (column) => column.notNull())
      .addColumn("blob", "bytea", (column) => column.notNull())
      .addPrimaryKeyConstraint("checkpoint_blobs_pkey", ["thread_id", "checkpoint_ns", "channel", "version"])
      .execute();

    // No foreign key to checkpoints: LangGraph stores writes in parallel with their checkpoint.
    await db.schema
      .createTable("checkpoint_writes")
      .ifNotExists()
      .addColumn("thread_id", key, (column) => column.notNull())
      .addColumn("checkpoint_ns", key, (column) => column.notNull().defaultTo(""))
      .addColumn("checkpoint_id", key, (column) => column.notNull())
      .addColumn("task_id", key, (column) => column.notNull())
      .addColumn("idx", "integer", (column) => column.notNull())
      .addColumn("channel", key, (column) => column.notNull())
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

    await recordVersions(db, "checkpoint_migrations", OFFICIAL_VERSIONS);
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
