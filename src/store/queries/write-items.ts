import { type QueryCreator, type RawBuilder, sql } from "kysely";
import type { LibraryDatabase } from "../../db/checkpoint-database.js";
import { CURRENT_TIME, isAlive } from "../../db/expiry.js";
import { type BoundStatement, type Parameter, StatementFamily } from "../../db/statements/statement.js";
import { type KnownEmbeddings, refusingOthers } from "./embedding-state.js";
import {
  expiryOf,
  type ItemKey,
  LOCK_ORDER,
  type ManyKeys,
  manyKeys,
  wantedItems,
  notifyChange,
} from "./item-rows.js";

/** An item to store. */
export interface PutRow extends ItemKey {
  /** The value as JSON text. */
  readonly value: string;
  /** `null`: for ever. */
  readonly ttlMinutes: number | null;
}

/** A row that a statement of {@link writeItems} returns where it notifies, or has to check something. Nobody reads it. */
export type ItemWriteRow = object;

/**
 * Stores and deletes items. No key may occur twice.
 *
 * The first statement locks every item in the order of the keys, so that concurrent calls can't deadlock. For that, it also stores the
 * items that the second one deletes: an item that does not exist can only be locked by storing it.
 *
 * @param channel - The channel that announces the changes; `undefined` for none.
 * @param known - The embeddings that the tables must have, where the store embeds.
 * @returns One statement, or two for a call that does both.
 */
export function writeItems(
  schema: string,
  puts: readonly PutRow[],
  deletions: readonly ItemKey[],
  channel: string | undefined,
  known?: KnownEmbeddings,
): BoundStatement<ItemWriteRow>[] {
  const locked = puts.length === 0 ? [] : deletions.map(({ prefix, key }) => ({ ...EMPTY, prefix, key }));
  return [
    ...insert(schema, [...puts, ...locked], channel, known),
    ...(deletions.length === 0 ? [] : [remove(schema, deletions, channel)]),
  ];
}

const EMPTY = { value: "{}", ttlMinutes: null };

interface ChannelParam {
  readonly channel: string | undefined;
}

/** What decides about the text of a statement that stores items. */
interface InsertShape {
  readonly notifies: boolean;
  /** Whether it fails where other embeddings have replaced those that the store knows. */
  readonly embeds: boolean;
}

type InsertParams = ChannelParam & KnownEmbeddings;

const NO_EMBEDDINGS = { model: "", columnType: "" };

interface ManyRows extends ManyKeys {
  readonly values: readonly string[];
  readonly ttls: readonly (string | null)[];
}

function insert(
  schema: string,
  rows: readonly PutRow[],
  channel: string | undefined,
  known: KnownEmbeddings | undefined,
): BoundStatement<ItemWriteRow>[] {
  const [first, ...others] = rows;
  if (first === undefined) return [];
  const shape = { notifies: channel !== undefined, embeds: known !== undefined };
  const common = { ...NO_EMBEDDINGS, schema, ...known, channel };
  if (others.length === 0) return [insertOne.of(shape).bind(schema, { ...common, ...first })];
  const values = rows.map(({ value }) => value);
  // As text: an array of integers is sent as such.
  const ttls = rows.map(({ ttlMinutes }) => (ttlMinutes === null ? null : String(ttlMinutes)));
  return [insertMany.of(shape).bind(schema, { ...common, ...manyKeys(rows), values, ttls })];
}

function remove(
  schema: string,
  items: readonly ItemKey[],
  channel: string | undefined,
): BoundStatement<ItemWriteRow> {
  const [first, ...others] = items;
  const notifies = channel !== undefined;
  return first !== undefined && others.length === 0
    ? deleteOne.of(notifies).bind(schema, { ...first, channel })
    : deleteMany.of(notifies).bind(schema, { ...manyKeys(items), channel });
}

/** Nearly every write is of one item: without arrays, Postgres takes two thirds of the time. */
const insertOne = new StatementFamily<InsertShape, PutRow & InsertParams, ItemWriteRow>(
  (shape) => (db, parameter) => {
    const row = sql<ItemKey>`(values (
      ${parameter("prefix")}::text, ${parameter("key")}::text, ${parameter("value")}::text, ${parameter("ttlMinutes")}::float8
    ))`;
    return insertItems(db, parameter, shape, { items: row });
  },
);

const insertMany = new StatementFamily<InsertShape, ManyRows & InsertParams, ItemWriteRow>(
  (shape) => (db, parameter) => {
    const items = sql<ItemKey>`unnest(
      (select ${parameter("prefixes")}::text[]), (select ${parameter("keys")}::text[]),
      (select ${parameter("values")}::text[]), (select ${parameter("ttls")}::text[]::float8[])
    )`;
    return insertItems(db, parameter, shape, {
      items,
      order: sql`given.prefix collate "C", given.key collate "C"`,
    });
  },
);

const deleteOne = new StatementFamily<boolean, ItemKey & ChannelParam, ItemWriteRow>(
  (notifies) => (db, parameter) =>
    db
      .deleteFrom("store")
      .where("prefix", "=", parameter("prefix"))
      .where("key", "=", parameter("key"))
      .$if(notifies, (qb) => qb.returning(notifyChange("delete", parameter("channel")).as("notified"))),
);

const deleteMany = new StatementFamily<boolean, ManyKeys & ChannelParam, ItemWriteRow>(
  (notifies) => (db, parameter) =>
    db
      .with("locked", (qb) =>
        wantedItems(qb, parameter)
          .orderBy(LOCK_ORDER)
          .forUpdate("store")
          .select(["store.prefix", "store.key"]),
      )
      .deleteFrom("store")
      .using("locked")
      .whereRef("store.prefix", "=", "locked.prefix")
      .whereRef("store.key", "=", "locked.key")
      .$if(notifies, (qb) => qb.returning(notifyChange("delete", parameter("channel")).as("notified"))),
);

interface GivenItems {
  readonly items: RawBuilder<ItemKey>;
  readonly order?: RawBuilder<unknown>;
}

function insertItems(
  db: QueryCreator<LibraryDatabase>,
  parameter: Parameter<InsertParams>,
  { notifies, embeds }: InsertShape,
  { items, order }: GivenItems,
) {
  const given = items.as<"given">(sql`given(prefix, key, value, ttl_minutes)`);
  const insert = (qb: QueryCreator<LibraryDatabase>) =>
    qb
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
          .$if(embeds, (rows) => rows.where(sql<boolean>`(select are_known from embeddings)`))
          .$if(order !== undefined, (rows) => rows.orderBy(sql`${order}`)),
      )
      .onConflict((conflict) => conflict.columns(["prefix", "key"]).doUpdateSet(replaced))
      .$if(embeds, (rows) => rows.returning("key"))
      .$if(notifies, (rows) => rows.returning(notifyChange("put", parameter("channel")).as("notified")));
  if (!embeds) return insert(db);
  // The table of the items is locked as the second one, since a statement locks those of its CTEs in their order.
  return refusingOthers(db, parameter).with("written", insert).selectFrom("written").select("written.key");
}

/** What replaces a stored item. An expired one counts as deleted, so that the new one is created now. */
const replaced = {
  value: excluded<string>("value"),
  created_at: sql<Date>`case when store.expires_at <= ${CURRENT_TIME} then excluded.created_at else store.created_at end`,
  updated_at: excluded<Date>("updated_at"),
  expires_at: excluded<Date>("expires_at"),
  ttl_minutes: excluded<number>("ttl_minutes"),
};

function excluded<T>(column: string): RawBuilder<T> {
  return sql<T>`excluded.${sql.ref(column)}`;
}

/**
 * Stores an item where it has an expected version; with the expected version 0, where there is no such item.
 *
 * @param channel - The channel that announces the change; `undefined` for none.
 * @returns A statement with one row where it has stored the item, and none otherwise.
 */
export function putIf(
  schema: string,
  row: PutRow,
  expectedVersion: number,
  channel: string | undefined,
): BoundStatement<ItemWriteRow> {
  const statements = expectedVersion === 0 ? insertNew : replace;
  return statements.of(channel !== undefined).bind(schema, { ...row, expectedVersion, channel });
}

interface ConditionalParams extends PutRow {
  readonly expectedVersion: number;
  readonly channel: string | undefined;
}

const VERSION = sql<string>`version::text`.as("version");

const insertNew = new StatementFamily<boolean, ConditionalParams, ItemWriteRow>(
  (notifies) => (db, parameter) => {
    const expires = expiryOf(sql`${parameter("ttlMinutes")}::float8`);
    return db
      .insertInto("store")
      .values({
        prefix: parameter("prefix"),
        key: parameter("key"),
        value: sql<string>`${parameter("value")}::jsonb`,
        created_at: CURRENT_TIME,
        updated_at: CURRENT_TIME,
        expires_at: expires,
        ttl_minutes: sql<number | null>`${parameter("ttlMinutes")}::float8`,
      })
      .onConflict((conflict) =>
        conflict
          .columns(["prefix", "key"])
          .doUpdateSet({
            value: sql<string>`excluded.value`,
            created_at: sql<Date>`excluded.created_at`,
            updated_at: sql<Date>`excluded.updated_at`,
            expires_at: sql<Date>`excluded.expires_at`,
            ttl_minutes: sql<number>`excluded.ttl_minutes`,
          })
          // An expired item counts as deleted.
          .where(sql<boolean>`store.expires_at <= ${CURRENT_TIME}`),
      )
      .returning(["prefix", "key", VERSION])
      .$if(notifies, (qb) => qb.returning(notifyChange("put", parameter("channel")).as("notified")));
  },
);

const replace = new StatementFamily<boolean, ConditionalParams, ItemWriteRow>(
  (notifies) => (db, parameter) =>
    db
      .updateTable("store")
      .set({
        value: sql<string>`${parameter("value")}::jsonb`,
        updated_at: CURRENT_TIME,
        expires_at: expiryOf(sql`${parameter("ttlMinutes")}::float8`),
        ttl_minutes: sql<number | null>`${parameter("ttlMinutes")}::float8`,
      })
      .where("prefix", "=", parameter("prefix"))
      .where("key", "=", parameter("key"))
      .where(sql<boolean>`version = ${parameter("expectedVersion")}::bigint`)
      .where(isAlive("store"))
      .returning(["prefix", "key", VERSION])
      .$if(notifies, (qb) => qb.returning(notifyChange("put", parameter("channel")).as("notified"))),
);
