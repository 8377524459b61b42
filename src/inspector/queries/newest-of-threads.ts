import { type Expression, type QueryCreator, sql, type SqlBool } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { containsText } from "../../threads/queries/contains-text.js";
import { isAmong } from "./recent-threads.js";

/** The conditions on the threads. `undefined` is no condition. */
export interface NewestConditions {
  /** Only threads after this one. */
  readonly after?: Expression<string> | undefined;
  /** Only threads whose id contains this text. */
  readonly search: Expression<string> | undefined;
  /** Only these threads. */
  readonly among?: Expression<readonly string[]> | undefined;
  /** JSON text. Threads without a checkpoint whose metadata contains it may be left out; the metadata of the newest one is still to be compared. */
  readonly filter: Expression<string> | undefined;
}

/** So many checkpoints match a filter that looking up their threads takes longer than reading the newest checkpoints of all threads. */
const MANY = 20_000;

/** The id of the newest checkpoint of each thread, as `newest`. It reads index entries, and for a filter the metadata. */
export function withNewest(
  db: QueryCreator<CheckpointDatabase>,
  { after, search, among, filter }: NewestConditions,
): QueryCreator<CheckpointDatabase & { newest: { thread_id: string; checkpoint_id: string } }> {
  return (
    db
      // Of a thread whose newest checkpoint matches, some checkpoint matches. Postgres skips what nothing reads.
      .with("matching", (qb) =>
        qb
          .selectFrom("checkpoints as each")
          .$if(filter !== undefined, (query) => query.where(sql<SqlBool>`each.metadata @> ${filter}::jsonb`))
          .select("each.thread_id")
          .limit(sql.lit(MANY)),
      )
      .with("newest", (qb) => {
        const newest = qb
          .selectFrom("checkpoints as each")
          .$if(after !== undefined, (query) => query.where(sql<SqlBool>`each.thread_id > ${after}`))
          .$if(search !== undefined, (query) =>
            query.where((eb) => containsText(eb.ref("each.thread_id"), sql`${search}`)),
          )
          .$if(among !== undefined, (query) =>
            query.where((eb) => isAmong(eb.ref("each.thread_id"), sql`${among}`)),
          )
          .groupBy("each.thread_id")
          .select(["each.thread_id", sql<string>`max(each.checkpoint_id collate "C")`.as("checkpoint_id")]);
        if (filter === undefined) return newest;
        const areMany = sql<SqlBool>`(select count(*) from matching) = ${sql.lit(MANY)}`;
        return newest
          .where(areMany)
          .unionAll(
            newest
              .where((eb) => eb.not(areMany))
              .where(sql<SqlBool>`each.thread_id in (select thread_id from matching)`),
          );
      })
  );
}
