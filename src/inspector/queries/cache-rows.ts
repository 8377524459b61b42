import { sql } from "kysely";
import { type EntryPlace, type SentEntry, sentValue } from "../../cache/queries/entries.js";
import type { CallContext } from "../../db/call-context.js";
import { CURRENT_TIME, isAlive } from "../../db/expiry.js";
import { timeText } from "../../db/number-text.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement, StatementFamily } from "../../db/statements/statement.js";

/** The entries of a namespace together. */
export interface CacheNamespaceSums {
  readonly namespace: string;
  readonly entries: number;
  readonly expired: number;
  readonly bytes: number;
  readonly oldest_ms: string;
  readonly newest_ms: string;
  readonly next_expiry_ms: string | null;
}

/**
 * Sums up the entries of namespaces, in the order of the primary key: so it reads no namespaces after the last one that it returns. It does
 * not read their values.
 */
export function sumNamespaces(
  call: CallContext,
  after: string | undefined,
  limit: number,
): Promise<CacheNamespaceSums[]> {
  return runStatement(call, sums.of(after !== undefined), { after: after ?? "", limit });
}

interface SumParams {
  readonly after: string;
  readonly limit: number;
}

const sums = new StatementFamily<boolean, SumParams, CacheNamespaceSums>(
  (isContinued) => (db, parameter) =>
    db
      .selectFrom("cache_entries as entry")
      .$if(isContinued, (query) => query.where("entry.namespace", ">", parameter("after")))
      .groupBy("entry.namespace")
      .orderBy("entry.namespace")
      .limit(parameter("limit"))
      .select([
        "entry.namespace",
        sql<number>`(count(*) filter (where ${isAlive("entry")}))::float8`.as("entries"),
        sql<number>`(count(*) filter (where not ${isAlive("entry")}))::float8`.as("expired"),
        sql<number>`sum(entry.size)::float8`.as("bytes"),
        timeText(sql`min(entry.created_at)`).as("oldest_ms"),
        timeText(sql`max(entry.created_at)`).as("newest_ms"),
        timeText<string | null>(
          sql`min(entry.expires_at) filter (where entry.expires_at > ${CURRENT_TIME})`,
        ).as("next_expiry_ms"),
      ]),
);

/** An entry. */
export interface CacheRow {
  readonly key: string;
  readonly type: string;
  readonly bytes: number;
  readonly created_ms: string;
  readonly expires_ms: string | null;
  readonly is_expired: boolean;
  /** `null` for a value that is larger than what the list reads. */
  readonly base64: string | null;
}

/** Which entries of a namespace to list. */
interface CacheRowsQuery {
  readonly namespace: string;
  /** Only the entry with this key. */
  readonly key: string | undefined;
  readonly offset: number;
  readonly limit: number;
  /** The size of the largest value to read, in bytes. */
  readonly maxBytes: number;
}

/** Lists the entries of a namespace, the newest first. */
export function listEntries(call: CallContext, query: CacheRowsQuery): Promise<CacheRow[]> {
  const { key } = query;
  return runStatement(call, entries.of(key !== undefined), { ...query, key: key ?? "" });
}

interface RowsParams extends CacheRowsQuery {
  readonly key: string;
}

/** The rows are sorted before their values are read. */
const entries = new StatementFamily<boolean, RowsParams, CacheRow>(
  (hasKey) => (db, parameter) =>
    db
      .selectFrom(
        db
          .selectFrom("cache_entries")
          .where("namespace", "=", parameter("namespace"))
          .$if(hasKey, (query) => query.where("key", "=", parameter("key")))
          .orderBy("created_at", "desc")
          .orderBy("key")
          .offset(parameter("offset"))
          .limit(parameter("limit"))
          .select("key")
          .as("listed"),
      )
      .innerJoin("cache_entries as entry", (join) =>
        join.on("entry.namespace", "=", parameter("namespace")).onRef("entry.key", "=", "listed.key"),
      )
      .orderBy("entry.created_at", "desc")
      .orderBy("entry.key")
      .select([
        "entry.key",
        "entry.type",
        sql<number>`entry.size::float8`.as("bytes"),
        timeText(sql.ref("entry.created_at")).as("created_ms"),
        timeText<string | null>(sql.ref("entry.expires_at")).as("expires_ms"),
        sql<boolean>`not ${isAlive("entry")}`.as("is_expired"),
        sql<string | null>`case when entry.size <= ${parameter("maxBytes")}::float8
          then ${sentValue("entry")} end`.as("base64"),
      ]),
);

/** Reads the value of an entry, also of one that has expired. */
export async function getEntry(call: CallContext, place: EntryPlace): Promise<SentEntry | undefined> {
  const [row] = await runStatement(call, values, { ...place });
  return row;
}

const values = new Statement<EntryPlace, SentEntry>((db, parameter) =>
  db
    .selectFrom("cache_entries as entry")
    .where("entry.namespace", "=", parameter("namespace"))
    .where("entry.key", "=", parameter("key"))
    .select(["entry.type", sentValue("entry").as("base64")]),
);

/** Deletes an entry. */
export async function deleteEntry(call: CallContext, place: EntryPlace): Promise<void> {
  await runStatement(call, deletions, { ...place });
}

const deletions = new Statement<EntryPlace, unknown>((db, parameter) =>
  db
    .deleteFrom("cache_entries")
    .where("namespace", "=", parameter("namespace"))
    .where("key", "=", parameter("key")),
);
