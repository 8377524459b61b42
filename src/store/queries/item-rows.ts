import type { LibraryDatabase } from "../../db/checkpoint-database.js";
import { type QueryCreator, type RawBuilder, sql } from "kysely";
import type { Parameter } from "../../db/statements/statement.js";
import { hiddenFromPlanner } from "./item-scope.js";
import { CURRENT_TIME } from "../../db/expiry.js";
import { timeText } from "../../db/number-text.js";

/** An item's place in the table. */
export interface ItemKey {
  readonly prefix: string;
  readonly key: string;
}

/** The parameters of a statement about several items. */
export interface ManyKeys {
  readonly prefixes: readonly string[];
  readonly keys: readonly string[];
}

/** Returns the parameters of a statement about several items. */
export function manyKeys(items: readonly ItemKey[]): ManyKeys {
  return { prefixes: items.map(({ prefix }) => prefix), keys: items.map(({ key }) => key) };
}

/** The places of the parameters, as rows with the name `wanted`. */
export function wantedKeys(parameter: Parameter<ManyKeys>) {
  const prefixes = hiddenFromPlanner(parameter("prefixes"), "text[]");
  const keys = hiddenFromPlanner(parameter("keys"), "text[]");
  return sql<ItemKey>`unnest(${prefixes}, ${keys})`.as<"wanted">(sql`wanted(prefix, key)`);
}

/** The items of the parameters that are stored, as rows of `store` beside those of {@link wantedKeys}. */
export function wantedItems(db: QueryCreator<LibraryDatabase>, parameter: Parameter<ManyKeys>) {
  return db
    .selectFrom(wantedKeys(parameter))
    .innerJoin("store", (join) =>
      join.onRef("store.prefix", "=", "wanted.prefix").onRef("store.key", "=", "wanted.key"),
    );
}

/** Every statement that waits for locks of several items takes them in this order, so that concurrent calls can't deadlock. */
export const LOCK_ORDER = sql`store.prefix collate "C", store.key collate "C"`;

/**
 * Returns a text that is the same for the same item only: no part contains U+0000.
 *
 * @param parts - Identify a part of the item, such as one of its vectors.
 */
export function itemId({ prefix, key }: ItemKey, ...parts: readonly (string | null)[]): string {
  return parts.length === 0 ? `${prefix}\0${key}` : [prefix, key, ...parts].join("\0");
}

/** Whether the id is that of an item of a namespace, or of one below it. */
export function isOfScope(id: string, prefix: string): boolean {
  return id.startsWith(`${prefix}\0`) || id.startsWith(`${prefix}.`);
}

/** Joins labels, as Python's store does. No label contains it. */
const SEPARATOR = ".";

/** The column `prefix` of a namespace. The empty namespace, which holds no items, is the empty text. */
export function toPrefix(namespace: readonly string[]): string {
  return namespace.join(SEPARATOR);
}

/** The namespace of a column `prefix`. */
export function toNamespace(prefix: string): string[] {
  return prefix === "" ? [] : prefix.split(SEPARATOR);
}

/** A row of `store` as it is read. */
export interface StoreRow {
  readonly prefix: string;
  readonly key: string;
  /** The value as JSON text. */
  readonly value: string;
  /** Times in milliseconds since 1970, as text. */
  readonly created_ms: string;
  readonly updated_ms: string;
  readonly expires_ms: string | null;
  readonly version: string;
}

/**
 * The columns of {@link StoreRow}. As text, since an application may have changed how its driver parses other types.
 *
 * @param alias - The name of the table in the statement.
 * @param expires - When the item expires, where that is not what the table says.
 */
export function itemColumns(alias: string, expires: RawBuilder<unknown> = sql.ref(`${alias}.expires_at`)) {
  const column = (name: string) => sql.ref(`${alias}.${name}`);
  return [
    sql<string>`${column("prefix")}`.as("prefix"),
    sql<string>`${column("key")}`.as("key"),
    sql<string>`${column("value")}::text`.as("value"),
    timeText(column("created_at")).as("created_ms"),
    timeText(column("updated_at")).as("updated_ms"),
    timeText<string | null>(expires).as("expires_ms"),
    sql<string>`${column("version")}::text`.as("version"),
  ] as const;
}

/** When an item expires that has a TTL in minutes from now on. Null without a TTL. */
export function expiryOf(ttlMinutes: RawBuilder<unknown>): RawBuilder<Date> {
  return sql<Date>`${CURRENT_TIME} + ${ttlMinutes} * interval '1 minute'`;
}

/**
 * Announces a row of `store` to those who watch it. It is for the RETURNING of a statement: Postgres delivers the notification when the
 * transaction commits.
 *
 * @param channel - See `changeChannel`.
 */
export function notifyChange(
  kind: "put" | "delete",
  channel: RawBuilder<string | undefined>,
): RawBuilder<string | null> {
  // A namespace may contain any text, so its length comes first. Two keys always fit into a notification.
  const payload = sql`${sql.lit(`${kind} `)} || length(store.prefix) || ':' || store.prefix || store.key`;
  return sql<string | null>`pg_notify(${channel}::text, ${payload})::text`;
}
