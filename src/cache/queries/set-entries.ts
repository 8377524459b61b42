import { type RawBuilder, sql, type SqlBool } from "kysely";
import { CURRENT_TIME } from "../../db/expiry.js";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import type { EncodedEntry, EntryPlace } from "../model/entry.js";
import { expiryInSeconds } from "./entry-expressions.js";

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
  return statement.bind(schema, {
    namespaces: entries.map(({ namespace }) => namespace),
    keys: entries.map(({ key }) => key),
    types: entries.map(({ type }) => type),
    values: entries.map(({ value }) => value),
    // As text: an array of integers is sent as such.
    ttls: entries.map(({ ttl }) => (ttl === null ? null : String(ttl))),
  });
}

interface SetParams {
  readonly namespaces: readonly string[];
  readonly keys: readonly string[];
  readonly types: readonly string[];
  readonly values: readonly Uint8Array[];
  readonly ttls: readonly (string | null)[];
}

interface GivenRow extends EntryPlace {
  readonly type: string;
  readonly value: Buffer;
  readonly ttl: number | null;
}

const statement = /* @__PURE__ */ new Statement<SetParams, unknown>((db, parameter) => {
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
