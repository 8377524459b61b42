import { sql } from "kysely";
import { StatementFamily } from "../../db/statements/statement.js";
import {
  type ListedCondition,
  predicate,
  type ThreadParams,
  type ThreadRow,
  TS_OF_STORED,
} from "./listed-threads.js";

/**
 * Lists threads without a walk (N4): each node groups its threads in the order of the primary key, and stops after `limit` threads.
 */
export const groupedThreads = /* @__PURE__ */ new StatementFamily<
  readonly ListedCondition[],
  ThreadParams,
  ThreadRow
>(
  (narrowed) => (db, parameter) =>
    db
      .selectFrom(
        db
          .selectFrom("checkpoints as each")
          .$if(narrowed.includes("after"), (rows) => rows.where("each.thread_id", ">", parameter("after")))
          .groupBy("each.thread_id")
          .select("each.thread_id")
          .select([
            sql<string>`max(each.checkpoint_id collate "C")`.as("checkpoint_id"),
            sql<string>`(array_agg(each.checkpoint_ns
              order by each.checkpoint_id collate "C" desc, each.checkpoint_ns))[1]`.as("checkpoint_ns"),
            sql<number>`count(distinct each.checkpoint_ns)::float8`.as("namespaces"),
            sql<number>`count(*)::float8`.as("checkpoints"),
          ])
          .as("thread"),
      )
      .innerJoin("checkpoints as stored", (join) =>
        join
          .onRef("stored.thread_id", "=", "thread.thread_id")
          .onRef("stored.checkpoint_ns", "=", "thread.checkpoint_ns")
          .onRef("stored.checkpoint_id", "=", "thread.checkpoint_id"),
      )
      .where((eb) =>
        eb.and(
          narrowed.flatMap((name) =>
            predicate(name, parameter, {
              threadId: eb.ref("thread.thread_id"),
              id: eb.ref("thread.checkpoint_id"),
              ts: TS_OF_STORED,
              metadata: eb.ref("stored.metadata"),
            }),
          ),
        ),
      )
      .select(["thread.thread_id", "thread.checkpoint_ns", "thread.checkpoint_id"])
      .select(["thread.namespaces", "thread.checkpoints"])
      .select([sql<string | null>`stored.metadata::text`.as("metadata"), TS_OF_STORED.as("ts")])
      .orderBy("thread.thread_id")
      .limit(parameter("limit")),
);
