import { type QueryCreator, type RawBuilder, sql } from "kysely";
import type { LibraryDatabase } from "../../db/checkpoint-database.js";
import type { BoundStatement, Parameter } from "../../db/statements/statement.js";
import { StatementFamily } from "../../db/statements/statement-family.js";
import type { ItemKey } from "./get-items.js";
import { CURRENT_TIME, expiryOf } from "./item-columns.js";
import { notifyChange } from "./notify-change.js";

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
 * Stores and deletes items. No key may occur twice.
 *
 * The first statement locks every item in the order of the keys, so that concurrent calls can't deadlock. For that, it also stores the
 * items that the second one deletes: an item that does not exist can only be locked by storing it.
 *
 * @param channel - The channel that announces the changes; `undefined` for none.
 * @returns One statement, or two for a call that does both.
 */
export function writeItems(
  schema: string,
  puts: readonly PutRow[],
  deletions: readonly ItemKey[],
  channel: string | undefined,
): BoundStatement<WrittenRow>[] {
  const notifies = channel !== undefined;
  const locked = puts.length === 0 ? [] : deletions.map(({ prefix, key }) => ({ ...EMPTY, prefix, key }));
  return [
    ...(puts.length > 0
      ? [insertion.of(notifies).bind(schema, { ...insertParams([...puts, ...locked]), channel })]
      : []),
    ...(deletions.length > 0
      ? [deletion.of(notifies).bind(schema, { ...keyParams(deletions), channel })]
      : []),
  ];
}

const EMPTY = { value: "{}", ttlMinutes: null };

interface ChannelParam {
  readonly channel: string | undefined;
}

interface KeyParams {
  readonly prefixes: readonly string[];
  readonly keys: readonly string[];
}

interface InsertParams extends KeyParams {
  readonly values: readonly string[];
  readonly ttls: readonly (string | null)[];
}

function keyParams(items: readonly ItemKey[]): KeyParams {
  return { prefixes: items.map(({ prefix }) => prefix), keys: items.map(({ key }) => key) };
}

function insertParams(rows: readonly PutRow[]): InsertParams {
  return {
    ...keyParams(rows),
    values: rows.map(({ value }) => value),
    // As text: an array of integers is sent as such.
    ttls: rows.map(({ ttlMinutes }) => (ttlMinutes === null ? null : String(ttlMinutes))),
  };
}

const insertion = /* @__PURE__ */ new StatementFamily<boolean, InsertParams & ChannelParam, WrittenRow>(
  (notifies) => (db, parameter) =>
    insertItems(db, parameter)
      .returning(["prefix", "key", sql<number>`version::float8`.as("version")])
      .$if(notifies, (qb) => qb.returning(notifyChange("put", parameter("channel")).as("notified"))),
);

const deletion = /* @__PURE__ */ new StatementFamily<boolean, KeyParams & ChannelParam, WrittenRow>(
  (notifies) => (db, parameter) =>
    db
      .with("locked", (qb) =>
        qb
          .selectFrom(
            sql<ItemKey>`unnest(${parameter("prefixes")}::text[], ${parameter("keys")}::text[])`.as<"given">(
              sql`given(prefix, key)`,
            ),
          )
          .innerJoin("store", (join) =>
            join.onRef("store.prefix", "=", "given.prefix").onRef("store.key", "=", "given.key"),
          )
          .orderBy(sql`store.prefix collate "C"`)
          .orderBy(sql`store.key collate "C"`)
          .forUpdate("store")
          .select(["store.prefix", "store.key"]),
      )
      .deleteFrom("store")
      .using("locked")
      .whereRef("store.prefix", "=", "locked.prefix")
      .whereRef("store.key", "=", "locked.key")
      .returning(["store.prefix", "store.key", sql<number>`0`.as("version")])
      .$if(notifies, (qb) => qb.returning(notifyChange("delete", parameter("channel")).as("notified"))),
);

function insertItems(db: QueryCreator<LibraryDatabase>, parameter: Parameter<InsertParams & ChannelParam>) {
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
