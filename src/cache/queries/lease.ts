import { sql } from "kysely";
import { CURRENT_TIME, isAlive } from "../../db/expiry.js";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import { type EntryPlace, expiryInSeconds, sentValue } from "./entries.js";

/** The right to compute an entry, which one process at a time has. */
export interface Lease {
  /** The place of the lease itself. */
  readonly place: EntryPlace;
  /** Distinguishes its holder from others. */
  readonly token: string;
  /** How long it is valid, in seconds: its holder may crash. */
  readonly seconds: number;
}

/** The entry where there is one, and whether the lease was taken. */
export interface LeaseRow {
  readonly type: string | null;
  readonly base64: string | null;
  readonly is_taken: boolean;
}

/** Reads an entry. Where there is none, it takes the lease of the entry, unless another process has it. */
export function takeLease(
  schema: string,
  { namespace, key }: EntryPlace,
  { place, token, seconds }: Lease,
): BoundStatement<LeaseRow> {
  const lease = { leaseNamespace: place.namespace, leaseKey: place.key, token, seconds };
  return takes.bind(schema, { namespace, key, ...lease });
}

interface LeaseParams extends EntryPlace {
  readonly leaseNamespace: string;
  readonly leaseKey: string;
  readonly token: string;
  readonly seconds: number;
}

const takes = new Statement<LeaseParams, LeaseRow>((db, parameter) =>
  db
    .with("found", (qb) =>
      qb
        .selectFrom("cache_entries as entry")
        .where("entry.namespace", "=", parameter("namespace"))
        .where("entry.key", "=", parameter("key"))
        .where(isAlive("entry"))
        .select(["entry.type", sentValue("entry").as("base64")]),
    )
    .with("taken", (qb) =>
      qb
        .insertInto("cache_entries")
        .columns(["namespace", "key", "type", "value", "size", "created_at", "expires_at"])
        .expression(
          qb
            .selectNoFrom([
              sql<string>`${parameter("leaseNamespace")}::text`.as("namespace"),
              sql<string>`${parameter("leaseKey")}::text`.as("key"),
              sql.lit("lease").as("type"),
              sql<Buffer>`convert_to(${parameter("token")}, 'UTF8')`.as("value"),
              sql.lit(0).as("size"),
              CURRENT_TIME.as("created_at"),
              expiryInSeconds(sql`${parameter("seconds")}::float8`).as("expires_at"),
            ])
            .where((place) => place.not(place.exists(place.selectFrom("found").select("found.type")))),
        )
        .onConflict((conflict) =>
          conflict
            .columns(["namespace", "key"])
            .doUpdateSet({
              value: sql<Buffer>`excluded.value`,
              created_at: sql<Date>`excluded.created_at`,
              expires_at: sql<Date>`excluded.expires_at`,
            })
            // The lease of a crashed holder ends. A retry after a lost answer comes with the same token (C6).
            .where(
              sql<boolean>`(cache_entries.expires_at <= ${CURRENT_TIME} or cache_entries.value = excluded.value)`,
            ),
        )
        .returning("key"),
    )
    .selectFrom(sql<{ one: number }>`(select 1)`.as<"one">(sql`one`))
    .leftJoin("found", (join) => join.onTrue())
    .select(["found.type", "found.base64", sql<boolean>`exists (select from taken)`.as("is_taken")]),
);

/** Ends a lease, unless it has expired and another process has taken it. */
export function releaseLease(schema: string, { place, token }: Lease): BoundStatement<unknown> {
  return releases.bind(schema, { ...place, token });
}

const releases = new Statement<
  { readonly namespace: string; readonly key: string; readonly token: string },
  unknown
>((db, parameter) =>
  db
    .deleteFrom("cache_entries")
    .where("namespace", "=", parameter("namespace"))
    .where("key", "=", parameter("key"))
    .where("value", "=", sql<Buffer>`convert_to(${parameter("token")}, 'UTF8')`),
);
