import { type QueryCreator, sql, type SqlBool } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import type { Parameter } from "../../db/statements/statement.js";
import { type ThreadPageParams, threadConditions } from "./thread-conditions.js";

/** So many checkpoints match a filter that looking up their threads takes longer than reading the newest checkpoints of all threads. */
const MANY = 20_000;

/**
 * The id of the newest checkpoint of each thread, as `newest`. It reads index entries, and for a filter the metadata: threads without a
 * checkpoint whose metadata matches may be left out; that of the newest one is still to be compared.
 *
 * @param narrowed - The names of the conditions. With `after`, only threads whose ids come later.
 */
export function withNewest(
  db: QueryCreator<CheckpointDatabase>,
  narrowed: readonly string[],
  parameter: Parameter<ThreadPageParams>,
): QueryCreator<CheckpointDatabase & { newest: { thread_id: string; checkpoint_id: string } }> {
  const isFiltered = narrowed.includes("filter");
  return (
    db
      // Of a thread whose newest checkpoint matches, some checkpoint matches. Postgres skips what nothing reads.
      .with("matching", (qb) =>
        qb
          .selectFrom("checkpoints as each")
          .$if(isFiltered, (query) =>
            query.where(sql<SqlBool>`each.metadata @> ${parameter("filter")}::jsonb`),
          )
          .select("each.thread_id")
          .limit(sql.lit(MANY)),
      )
      .with("newest", (qb) => {
        const newest = qb
          .selectFrom("checkpoints as each")
          .$if(narrowed.includes("after"), (query) =>
            query.where("each.thread_id", ">", parameter("threadId")),
          )
          .where((eb) => eb.and(threadConditions(eb.ref("each.thread_id"), narrowed, parameter)))
          .groupBy("each.thread_id")
          .select(["each.thread_id", sql<string>`max(each.checkpoint_id collate "C")`.as("checkpoint_id")]);
        if (!isFiltered) return newest;
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
