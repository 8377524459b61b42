import { type QueryCreator, type RawBuilder, sql } from "kysely";
import type { LibraryDatabase } from "../../db/checkpoint-database.js";
import type { BoundStatement, Parameter } from "../../db/statements/statement.js";
import { StatementFamily } from "../../db/statements/statement-family.js";
import type { ItemKey } from "./get-items.js";
import { CURRENT_TIME, expiryOf } from "./item-columns.js";

/** An item to store. */
export interface PutRow extends ItemKey {
  /** The value as JSON text. */
  readonly value: string;
  /** `null`: for ever. */
  readonly ttlMinutes: number | null;
}

/** What a statement of {@link writeItems} stored. */
export interface WrittenRow extends ItemKey {
  readonly version: number;
}

/**
 * Stores and deletes items in one statement. No key may occur twice.
 *
 * It locks what it changes in the order of the keys, so that concurrent statements can't deadlock.
 */
export function writeItems(
  schema: string,
  puts: readonly PutRow[],
  deletions: readonly ItemKey[],
): BoundStatement<WrittenRow> {
  return statements.of({ puts: puts.length > 0, deletes: deletions.length > 0 }).bind(schema, {
    prefixes: puts.map(({ prefix }) => prefix),
    keys: puts.map(({ key }) => key),
    values: puts.map(({ value }) => value),
    // As text: an array of integers is sent as such.
    ttls: puts.map(({ ttlMinutes }) => (ttlMinutes === null ? null : String(ttlMinutes))),
    deletedPrefixes: deletions.map(({ prefix }) => prefix),
    deletedKeys: deletions.map(({ key }) => key),
  });
}

interface WriteParams {
  readonly prefixes: readonly string[];
  readonly keys: readonly string[];
  readonly values: readonly string[];
  readonly ttls: readonly (string | null)[];
  readonly deletedPrefixes: readonly string[];
  readonly deletedKeys: readonly string[];
}

interface Shape {
  readonly puts: boolean;
  readonly deletes: boolean;
}

const WRITTEN = /* @__PURE__ */ sql<number>`version::float8`.as("version");

const statements = /* @__PURE__ */ new StatementFamily<Shape, WriteParams, WrittenRow>(
  ({ puts, deletes }) =>
    (db, parameter) => {
      if (!deletes) return insertItems(db, parameter).returning(["prefix", "key", WRITTEN]);
      const locked = db.with("locked", (qb) => lockItems(qb, parameter));
      const deleted = locked.with("deleted", (qb) =>
        qb
          .deleteFrom("store")
          .using(deletedKeys(parameter))
          .whereRef("store.prefix", "=", "deletion.prefix")
          .whereRef("store.key", "=", "deletion.key")
          // Postgres takes the locks first, since it needs their number here.
          .where((eb) => sql<boolean>`(${eb.selectFrom("locked").select(COUNT)}) >= 0`)
          .returning(["store.prefix", "store.key"]),
      );
      if (!puts) {
        return deleted.selectFrom("deleted").select(["prefix", "key", sql<number>`0`.as("version")]);
      }
      return deleted
        .with("written", (qb) => insertItems(qb, parameter).returning(["prefix", "key", WRITTEN]))
        .selectFrom("written")
        .select(["prefix", "key", "version"]);
    },
);

const COUNT = /* @__PURE__ */ sql<number>`count(*)`.as("rows");

/** Locks the items that a statement deletes or replaces, where it does both. */
function lockItems(db: QueryCreator<LibraryDatabase>, parameter: Parameter<WriteParams>) {
  const changed = sql<ItemKey>`(
    select * from unnest(${parameter("prefixes")}::text[], ${parameter("keys")}::text[])
    union all
    select * from unnest(${parameter("deletedPrefixes")}::text[], ${parameter("deletedKeys")}::text[])
  )`.as<"changed">(sql`changed(prefix, key)`);
  return db
    .selectFrom(changed)
    .innerJoin("store", (join) =>
      join.onRef("store.prefix", "=", "changed.prefix").onRef("store.key", "=", "changed.key"),
    )
    .orderBy(sql`store.prefix collate "C"`)
    .orderBy(sql`store.key collate "C"`)
    .forUpdate("store")
    .select(["store.prefix", "store.key"]);
}

function deletedKeys(parameter: Parameter<WriteParams>) {
  return sql<ItemKey>`unnest(${parameter("deletedPrefixes")}::text[], ${parameter("deletedKeys")}::text[])`.as<"deletion">(
    sql`deletion(prefix, key)`,
  );
}

function insertItems(db: QueryCreator<LibraryDatabase>, parameter: Parameter<WriteParams>) {
  const given = sql<{ prefix: string; key: string }>`unnest(
    (select ${parameter("prefixes")}::text[]), (select ${parameter("keys")}::text[]),
    (select ${parameter("values")}::text[]), (select ${parameter("ttls")}::text[]::float8[])
  )`.as<"given">(sql`given(prefix, key, value, ttl_minutes)`);
  return db
    .insertInto("store")
    .columns(["prefix", "key", "value", "created_at", "updated_at", "expires_at", "ttl_minutes"])
    .expression((eb) =>
      eb
        .selectFrom(given)
        .select([
          "given.prefix",
          "given.key",
          sql<string>`given.value::jsonb`.as("value"),
          CURRENT_TIME.as("created_at"),
          CURRENT_TIME.as("updated_at"),
          expiryOf(sql`given.ttl_minutes`).as("expires_at"),
          sql<number | null>`given.ttl_minutes`.as("ttl_minutes"),
        ])
        .orderBy(sql`given.prefix collate "C"`)
        .orderBy(sql`given.key collate "C"`),
    )
    .onConflict((conflict) => conflict.columns(["prefix", "key"]).doUpdateSet(replaced));
}

/** What replaces a stored item. An expired one counts as deleted, so that the new one is created now. */
const replaced = /* @__PURE__ */ {
  value: excluded<string>("value"),
  created_at: sql<Date>`case when store.expires_at <= ${CURRENT_TIME} then excluded.created_at else store.created_at end`,
  updated_at: excluded<Date>("updated_at"),
  expires_at: excluded<Date>("expires_at"),
  ttl_minutes: excluded<number>("ttl_minutes"),
};

function excluded<T>(column: string): RawBuilder<T> {
  return sql<T>`excluded.${sql.ref(column)}`;
}
