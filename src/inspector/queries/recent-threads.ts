import { type Expression, type QueryCreator, sql, type SqlBool } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";

/** A thread with its newest checkpoint. */
export interface RecentThreadRow {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  readonly checkpoint_id: string;
  /** The time in the header; `null` when the id contains a time. */
  readonly ts: string | null;
  readonly step: string | null;
  readonly source: string | null;
  /** Where the thread is in the order. */
  readonly place: string;
  readonly checkpoints: number;
  readonly namespaces: number;
}

/** The conditions on the listed threads. `undefined` is no condition. */
export interface RecentScope {
  /** The place and the thread at the end of the preceding page. */
  readonly after: { readonly place: string; readonly threadId: string } | undefined;
  readonly search: string | undefined;
  /** Only these threads. */
  readonly among: readonly string[] | undefined;
  /** The smallest place. */
  readonly since: string | undefined;
  /** JSON text that the metadata of the newest checkpoint contains. */
  readonly filter: string | undefined;
  /** JSON texts, none of which the metadata of the newest checkpoint contains. */
  readonly unlike: readonly string[] | undefined;
}

/** The names of the conditions. */
export const CONDITIONS = [
  "after",
  "search",
  "among",
  "since",
  "filter",
  "unlike",
] as const satisfies (keyof RecentScope)[];
export type Condition = (typeof CONDITIONS)[number];

/** The parameters of a statement that lists threads. */
export interface RecentParams {
  readonly place: string;
  readonly threadId: string;
  readonly search: string;
  readonly among: readonly string[];
  readonly since: string;
  readonly filter: string;
  readonly unlike: readonly string[];
  readonly limit: number;
}

/** Whether a thread is after the end of the preceding page. */
export function isAfter(place: Expression<string>, threadId: Expression<string>) {
  return sql<SqlBool>`(place collate "C", thread_id collate "C") < (${place}::text collate "C", ${threadId}::text collate "C")`;
}

/** Whether a thread is one of those that were named. */
export function isAmong(threadId: Expression<string>, ids: Expression<readonly string[]>) {
  return sql<SqlBool>`${threadId} = any (${ids}::text[])`;
}

/** Whether the newest checkpoint of a thread is not older than a time. */
export function isSince(since: Expression<string>) {
  return sql<SqlBool>`place collate "C" >= ${since}::text collate "C"`;
}

type PageDatabase = CheckpointDatabase & { page: { thread_id: string } };

/** Counts the checkpoints and the namespaces of the threads on a page, which it looks up. */
export function countByLookup(db: QueryCreator<PageDatabase>) {
  return counted(db).where(
    sql<SqlBool>`each.thread_id = any (array(${db.selectFrom("page").select("page.thread_id")}))`,
  );
}

/** The same for statements that join tables by the thread. */
export function countPage(db: QueryCreator<PageDatabase>) {
  return counted(db).innerJoin("page", "page.thread_id", "each.thread_id");
}

function counted(db: QueryCreator<PageDatabase>) {
  return db
    .selectFrom("checkpoints as each")
    .groupBy("each.thread_id")
    .select("each.thread_id")
    .select([
      sql<number>`count(*)::float8`.as("checkpoints"),
      sql<number>`count(distinct each.checkpoint_ns)::float8`.as("namespaces"),
    ]);
}
