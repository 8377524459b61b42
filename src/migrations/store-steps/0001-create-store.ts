import { sql } from "kysely";
import { MigrationError } from "../../errors/index.js";
import { forgetVersions, recordVersions } from "../steps/record-versions.js";
import type { MigrationStep } from "../steps/step.js";

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
