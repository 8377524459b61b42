import { sql, type SqlBool, type Expression, type RawBuilder } from "kysely";
import { isAlive } from "../../db/expiry.js";
import { numberText } from "../../db/number-text.js";
import {
  type BoundStatement,
  Statement,
  type Parameter,
  StatementFamily,
} from "../../db/statements/statement.js";
import type { ItemKey } from "./item-rows.js";
import { isInScope, type ScopeParams, scopeParams } from "./item-scope.js";

/** Which items a page holds. */
export interface BackupPage {
  /** The scope: a namespace with those below it, or everything if it is empty. */
  readonly prefix: string;
  /** The last item before the page. */
  readonly after: ItemKey;
  /** `rest`: what remains of that item's namespace. `following`: the namespaces behind it. */
  readonly part: "rest" | "following";
  readonly rows: number;
  /** The page ends once its values take so many bytes, as they are stored. */
  readonly bytes: number;
}

interface PageParams extends ScopeParams {
  readonly afterPrefix: string;
  readonly afterKey: string;
  readonly rows: number;
  readonly bytes: number;
}

interface Shape {
  readonly isEverything: boolean;
  readonly part: BackupPage["part"];
}

/** A {@link BackupRow} as it is read: numbers are text. */
interface BackupText extends Omit<BackupRow, "ttl_minutes" | "version"> {
  readonly ttl_minutes: string | null;
  readonly version: string;
}

/**
 * Reads a page of the items of a scope, in the order of prefix and key. Expired ones are left out.
 *
 * The rest of a namespace is read in the order of the primary key, and the following namespaces in that of the index of prefixes. No single
 * order serves both, where the collation of the database is not "C": the namespaces of a scope follow each other only byte by byte.
 */
export function getItemsToBackUp(schema: string, page: BackupPage): BoundStatement<BackupText> {
  const { prefix, after, part, rows, bytes } = page;
  return backupPages.of({ isEverything: prefix === "", part }).bind(schema, {
    ...scopeParams(prefix),
    afterPrefix: after.prefix,
    afterKey: after.key,
    rows,
    bytes,
  });
}

const IN_ORDER = sql`prefix using ~<~, key`;

const backupPages = new StatementFamily<Shape, PageParams, BackupText>(
  ({ isEverything, part }) =>
    (db, parameter) => {
      const alive = db.selectFrom("store").where(isAlive("store")).selectAll();
      const page =
        part === "rest"
          ? alive
              .where("prefix", "=", parameter("afterPrefix"))
              .where("key", ">", parameter("afterKey"))
              .orderBy("key")
          : alive
              .where(sql<SqlBool>`prefix ~>~ ${parameter("afterPrefix")}`)
              .$if(!isEverything, (qb) =>
                // One range of the index, so that it is walked in order. Without it, each page would sort the whole rest of the scope.
                qb
                  .where(
                    sql<SqlBool>`prefix ~>=~ ${parameter("prefix")} and prefix ~<~ ${parameter("beyond")}`,
                  )
                  .where(isInScope("store", parameter)),
              )
              .orderBy(IN_ORDER);
      const sized = db
        .selectFrom(page.limit(parameter("rows")).as("page"))
        .selectAll()
        .select(
          // The size of the stored value, which Postgres knows without reading the value.
          sql<number>`sum(pg_column_size(value)) over (order by ${IN_ORDER} rows unbounded preceding) - pg_column_size(value)`.as(
            "bytes_before",
          ),
        );
      return (
        db
          .selectFrom(sized.as("sized"))
          // The first item is read, however large it is.
          .where(sql<SqlBool>`bytes_before < ${parameter("bytes")}::float8`)
          .select((eb) => [
            "prefix",
            "key",
            sql<string>`value::text`.as("value"),
            exactTime(eb.ref("created_at")).as("created_at"),
            exactTime(eb.ref("updated_at")).as("updated_at"),
            exactTime(eb.ref("expires_at")).as("expires_at"),
            numberText<string | null>(sql.ref("ttl_minutes")).as("ttl_minutes"),
            sql<string>`version::text`.as("version"),
          ])
          .orderBy(IN_ORDER)
      );
    },
);

/** A row of `store` as a backup has it. */
export interface BackupRow extends ItemKey {
  /** The value as the JSON text that Postgres prints. */
  readonly value: string;
  /** Times in UTC, to the microsecond. */
  readonly created_at: string | null;
  readonly updated_at: string | null;
  readonly expires_at: string | null;
  /** How long the item lives when its time starts again. */
  readonly ttl_minutes: number | null;
  readonly version: number;
}

/** A time as text, exact and in UTC whatever the settings of the session are. `infinity` has no digits. */
export function exactTime(time: Expression<unknown>): RawBuilder<string | null> {
  return sql<string | null>`case when isfinite(${time})
    then to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') else ${time}::text end`;
}

/** How many items a statement of {@link restoreItems} has stored. */
export interface RestoredRow {
  /** The items whose time is not over. */
  readonly alive: number;
  /** Those of them that were not stored before. */
  readonly stored: number;
}

/** Stores items of a backup with their times and versions, unless an item with the same key exists. Returns one row. */
export function restoreItems(schema: string, rows: readonly BackupRow[]): BoundStatement<RestoredRow> {
  return restores.bind(schema, restoredItems(rows));
}

const COLUMNS = [
  "prefix",
  "key",
  "value",
  "created_at",
  "updated_at",
  "expires_at",
  "ttl_minutes",
  "version",
] as const;

const COUNT = sql<number>`count(*)::float8`.as("count");

const restores = new Statement<RestoredItems, RestoredRow>((db, parameter) =>
  db
    .with("alive", (qb) => qb.selectFrom(givenItems(parameter)).where(isAlive("given")).select(COLUMNS))
    .with("stored", (qb) =>
      qb
        .insertInto("store")
        .columns(COLUMNS)
        .expression((eb) =>
          eb
            .selectFrom("alive")
            .select(COLUMNS)
            .orderBy(sql`prefix collate "C"`)
            .orderBy(sql`key collate "C"`),
        )
        .onConflict((conflict) => conflict.columns(["prefix", "key"]).doNothing())
        .returning("key"),
    )
    .selectNoFrom((eb) => [
      sql<number>`(${eb.selectFrom("alive").select(COUNT)})`.as("alive"),
      sql<number>`(${eb.selectFrom("stored").select(COUNT)})`.as("stored"),
    ]),
);

/** Items of a backup, as arrays of their columns. */
interface RestoredItems {
  readonly prefixes: readonly string[];
  readonly keys: readonly string[];
  readonly values: readonly string[];
  readonly created: readonly (string | null)[];
  readonly updated: readonly (string | null)[];
  readonly expires: readonly (string | null)[];
  readonly ttls: readonly (string | null)[];
  readonly versions: readonly string[];
}

/** The parameters of the statements that restore items. */
function restoredItems(rows: readonly BackupRow[]): RestoredItems {
  return {
    prefixes: rows.map(({ prefix }) => prefix),
    keys: rows.map(({ key }) => key),
    values: rows.map(({ value }) => value),
    created: rows.map(({ created_at }) => created_at),
    updated: rows.map(({ updated_at }) => updated_at),
    expires: rows.map(({ expires_at }) => expires_at),
    // As text: an array of integers is sent as such.
    ttls: rows.map(({ ttl_minutes }) => (ttl_minutes === null ? null : String(ttl_minutes))),
    versions: rows.map(({ version }) => String(version)),
  };
}

/** The items of the parameters as rows with the columns of `store`. */
function givenItems(parameter: Parameter<RestoredItems>) {
  return sql<GivenRow>`(
    select prefix, key, value::jsonb, created_at::timestamptz, updated_at::timestamptz, expires_at::timestamptz,
      ttl_minutes::float8, version::bigint
    from unnest(
      ${parameter("prefixes")}::text[], ${parameter("keys")}::text[], ${parameter("values")}::text[],
      ${parameter("created")}::text[], ${parameter("updated")}::text[], ${parameter("expires")}::text[],
      ${parameter("ttls")}::text[], ${parameter("versions")}::text[]
    ) as unnested(prefix, key, value, created_at, updated_at, expires_at, ttl_minutes, version)
  )`.as<"given">(sql`given(prefix, key, value, created_at, updated_at, expires_at, ttl_minutes, version)`);
}

interface GivenRow {
  readonly prefix: string;
  readonly key: string;
  readonly value: string;
  readonly created_at: Date | null;
  readonly updated_at: Date | null;
  readonly expires_at: Date | null;
  readonly ttl_minutes: number | null;
  readonly version: string;
}

/**
 * Finds an item that is stored with another value, version or time than in a backup. The time of its expiry does not count, since a read
 * may have started it again. Returns one row, or none.
 */
export function findDifferentItem(schema: string, rows: readonly BackupRow[]): BoundStatement<ItemKey> {
  return differences.bind(schema, restoredItems(rows));
}

const differences = new Statement<RestoredItems, ItemKey>((db, parameter) =>
  db
    .selectFrom(givenItems(parameter))
    .innerJoin("store", (join) =>
      join.onRef("store.prefix", "=", "given.prefix").onRef("store.key", "=", "given.key"),
    )
    .where(isAlive("given"))
    // As texts: 3.0 equals 3 in JSONB, but is another text.
    .where(
      sql<SqlBool>`(store.value::text, store.version, store.created_at, store.updated_at)
        is distinct from (given.value::text, given.version, given.created_at, given.updated_at)`,
    )
    .select(["given.prefix", "given.key"])
    .limit(1),
);
