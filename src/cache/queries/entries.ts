import { type RawBuilder, sql, type SqlBool } from "kysely";
import { CURRENT_TIME, isAlive } from "../../db/expiry.js";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";

/** An entry's place in the table. */
export interface EntryPlace {
  /** The column `namespace`. */
  readonly namespace: string;
  readonly key: string;
}

/** A value as the serializer wrote it. */
export interface EncodedEntry {
  readonly type: string;
  readonly value: Uint8Array;
}

/** A value as the queries of this room select it. */
export interface SentEntry {
  readonly type: string;
  readonly base64: string;
}

/** The namespaces from `from` on and before `beyond`, compared byte by byte. */
export interface TextRange {
  readonly from: string;
  readonly beyond: string;
}

/** When an entry expires that lives for this time from now on. Null without a time. */
export function expiryInSeconds(seconds: RawBuilder<unknown>): RawBuilder<Date> {
  return sql<Date>`${CURRENT_TIME} + ${seconds} * interval '1 second'`;
}

/**
 * The bytes of an entry in base64. `pg` receives all results as text, and Postgres would write bytes in hexadecimal, which is half as long
 * again.
 */
export function sentValue(alias: string): RawBuilder<string> {
  return sql<string>`encode(${sql.ref(`${alias}.value`)}, 'base64')`;
}

/** An entry that was found. */
interface EntryRow extends SentEntry {
  /** The position of its place among those that were asked for, from 1. */
  readonly position: number;
}

/** Reads entries. Expired ones are not found. No place may occur twice. */
export function getEntries(schema: string, places: readonly EntryPlace[]): BoundStatement<EntryRow> {
  const namespaces = places.map(({ namespace }) => namespace);
  return reads.bind(schema, { namespaces, keys: places.map(({ key }) => key) });
}

interface GetParams {
  readonly namespaces: readonly string[];
  readonly keys: readonly string[];
}

const reads = new Statement<GetParams, EntryRow>((db, parameter) => {
  const wanted = sql<EntryPlace & { position: number }>`unnest(
    (select ${parameter("namespaces")}::text[]), (select ${parameter("keys")}::text[])
  ) with ordinality`.as<"wanted">(sql`wanted(namespace, key, position)`);
  return db
    .selectFrom(wanted)
    .innerJoin("cache_entries as entry", (join) =>
      join.onRef("entry.namespace", "=", "wanted.namespace").onRef("entry.key", "=", "wanted.key"),
    )
    .where(isAlive("entry"))
    .select([
      sql<number>`wanted.position::integer`.as("position"),
      "entry.type",
      sentValue("entry").as("base64"),
    ]);
});

/** An entry to store. */
export interface NewEntry extends EntryPlace, EncodedEntry {
  /** How long it lives, in seconds; `null` for ever. With 0 it has expired at once, and nothing is stored where there is no such entry. */
  readonly ttl: number | null;
}

/**
 * Stores entries in one statement. No place may occur twice.
 *
 * It locks the entries in the order of their places, so that concurrent statements can't deadlock (C2). That is why an entry is removed by
 * letting it expire: deletions and insertions of one statement would lock in two orders.
 */
export function setEntries(schema: string, entries: readonly NewEntry[]): BoundStatement<unknown> {
  return sets.bind(schema, {
    namespaces: entries.map(({ namespace }) => namespace),
    keys: entries.map(({ key }) => key),
    types: entries.map(({ type }) => type),
    values: entries.map(({ value }) => value),
    // As text: an array of integers is sent as such.
    ttls: entries.map(({ ttl }) => (ttl === null ? null : String(ttl))),
  });
}

interface SetParams extends GetParams {
  readonly types: readonly string[];
  readonly values: readonly Uint8Array[];
  readonly ttls: readonly (string | null)[];
}

interface GivenRow extends EntryPlace {
  readonly type: string;
  readonly value: Buffer;
  readonly ttl: number | null;
}

const sets = new Statement<SetParams, unknown>((db, parameter) => {
  const given = sql<GivenRow>`unnest(
    (select ${parameter("namespaces")}::text[]), (select ${parameter("keys")}::text[]), (select ${parameter("types")}::text[]),
    (select ${parameter("values")}::bytea[]), (select ${parameter("ttls")}::text[]::float8[])
  )`.as<"given">(sql`given(namespace, key, type, value, ttl)`);
  return db
    .insertInto("cache_entries")
    .columns(["namespace", "key", "type", "value", "size", "created_at", "expires_at"])
    .expression((eb) =>
      eb
        .selectFrom(given)
        .where((place) =>
          place.or([
            sql<SqlBool>`(given.ttl > 0) is not false`,
            place.exists(
              place
                .selectFrom("cache_entries as entry")
                .whereRef("entry.namespace", "=", "given.namespace")
                .whereRef("entry.key", "=", "given.key")
                .select("entry.key"),
            ),
          ]),
        )
        .select([
          "given.namespace",
          "given.key",
          "given.type",
          "given.value",
          sql<number>`octet_length(given.value)`.as("size"),
          CURRENT_TIME.as("created_at"),
          expiryInSeconds(sql`given.ttl`).as("expires_at"),
        ])
        .orderBy(sql`given.namespace collate "C"`)
        .orderBy(sql`given.key collate "C"`),
    )
    .onConflict((conflict) =>
      conflict.columns(["namespace", "key"]).doUpdateSet({
        type: excluded<string>("type"),
        value: excluded<Buffer>("value"),
        size: excluded<number>("size"),
        created_at: excluded<Date>("created_at"),
        expires_at: excluded<Date>("expires_at"),
      }),
    );
});

function excluded<T>(column: string): RawBuilder<T> {
  return sql<T>`excluded.${sql.ref(column)}`;
}

const NOTHING: TextRange = { from: "", beyond: "" };

/** Deletes the entries of some namespaces, and those of a range of namespaces. It locks them in the order of their places (C2). */
export function clearEntries(
  schema: string,
  namespaces: readonly string[],
  { from, beyond }: TextRange = NOTHING,
): BoundStatement<unknown> {
  return clears.bind(schema, { namespaces, from, beyond });
}

interface ClearParams extends TextRange {
  readonly namespaces: readonly string[];
}

const clears = new Statement<ClearParams, unknown>((db, parameter) =>
  db
    .with("matching", (qb) =>
      qb
        .selectFrom("cache_entries")
        .where(
          sql<SqlBool>`(namespace = any (${parameter("namespaces")}::text[])
            or (namespace >= ${parameter("from")} and namespace < ${parameter("beyond")}))`,
        )
        .orderBy("namespace")
        .orderBy("key")
        .forUpdate()
        .select(["namespace", "key"]),
    )
    .deleteFrom("cache_entries")
    .using("matching")
    .whereRef("cache_entries.namespace", "=", "matching.namespace")
    .whereRef("cache_entries.key", "=", "matching.key"),
);
