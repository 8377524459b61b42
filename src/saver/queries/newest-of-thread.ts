import { type Expression, type QueryCreator, type RawBuilder, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { isUuid6 } from "./header-parts.js";
import { isOneThread } from "./thread-groups.js";

/**
 * Up to this number of namespaces of a thread, each is looked up separately. One lookup costs as much as reading some
 * dozen entries of the index in a row. A thread may have thousands of namespaces of subgraphs, which have few
 * checkpoints.
 */
const MAX_LOOKS = 8;

/**
 * Reads the newest checkpoint of a thread over all of its namespaces, and the number of namespaces. For few
 * namespaces it looks up the last index entry of each, however many checkpoints that one has. For many it reads and
 * counts all entries.
 */
export function newestOfThread(db: QueryCreator<CheckpointDatabase>, threadId: Expression<string>) {
  return (
    withNamespaces(db, threadId, MAX_LOOKS)
      .selectFrom((eb) => {
        const looked = eb.selectFrom("namespace").select(sql<number>`count(*)`.as("count"));
        return eb
          .selectFrom("namespace")
          .where(looked, "<", sql.lit(MAX_LOOKS))
          .select((row) => [
            row.ref("namespace.checkpoint_ns").as("checkpoint_ns"),
            newestId(db, threadId, row.ref("namespace.checkpoint_ns"), row.ref("namespace.checkpoint_id")).as(
              "checkpoint_id",
            ),
            sql<number | null>`null::float8`.as("checkpoints"),
          ])
          .unionAll(
            eb
              .selectFrom(wholeNamespaces(db, threadId).as("whole"))
              .where(looked, ">=", sql.lit(MAX_LOOKS))
              .selectAll("whole"),
          )
          .as("own");
      })
      .select(["own.checkpoint_ns", "own.checkpoint_id"])
      .select([
        sql<number>`(count(*) over ())::float8`.as("namespaces"),
        sql<number | null>`sum(own.checkpoints) over ()`.as("checkpoints"),
      ])
      // Only here: a column with this collation would not match an index with another one.
      .orderBy(sql`own.checkpoint_id collate "C"`, "desc")
      .orderBy(sql`own.checkpoint_ns collate "C"`)
      .limit(sql.lit(1))
      .as("newest")
  );
}

/** The namespaces of a thread from the last one on, up to `most`, with the last checkpoint of each, as the CTE `namespace`. */
export function withNamespaces(
  db: QueryCreator<CheckpointDatabase>,
  threadId: Expression<string>,
  most: number,
) {
  const last = () =>
    db
      .selectFrom("checkpoints as last")
      .where("last.thread_id", "=", threadId)
      .select(["last.checkpoint_ns", "last.checkpoint_id"])
      .orderBy("last.checkpoint_ns", "desc")
      .orderBy("last.checkpoint_id", "desc")
      .limit(sql.lit(1));
  return db.withRecursive("namespace", (qb) =>
    qb
      .selectFrom(last().as("beginning"))
      .selectAll()
      .select(sql<number>`1`.as("looks"))
      .unionAll((recursive) =>
        recursive
          .selectFrom("namespace as previous")
          .where("previous.looks", "<", sql.lit(most))
          .innerJoinLateral(
            () =>
              last().where("last.checkpoint_ns", "<", sql.ref<string>("previous.checkpoint_ns")).as("next"),
            (join) => join.onTrue(),
          )
          .selectAll("next")
          .select(sql<number>`previous.looks + 1`.as("looks")),
      ),
  );
}

/** All namespaces of a thread, each with its newest checkpoint and the number of its checkpoints. */
function wholeNamespaces(db: QueryCreator<CheckpointDatabase>, threadId: Expression<string>) {
  return db
    .selectFrom("checkpoints as each")
    .where((eb) => isOneThread(eb.ref("each.thread_id"), threadId))
    .groupBy("each.checkpoint_ns")
    .select("each.checkpoint_ns")
    .select([
      sql<string>`max(each.checkpoint_id collate "C")`.as("checkpoint_id"),
      sql<number | null>`count(*)::float8`.as("checkpoints"),
    ]);
}

/**
 * Returns the newest checkpoint of a namespace, from the last one in the order of the column. That is the newest
 * where it is a UUID, as the ids of LangGraph are, because UUIDs have one order in every collation. Of other ids the
 * newest is the last one in byte order.
 */
function newestId(
  db: QueryCreator<CheckpointDatabase>,
  threadId: Expression<string>,
  checkpointNs: Expression<string>,
  last: Expression<string>,
): RawBuilder<string> {
  const newest = db
    .selectFrom("checkpoints as each")
    .where("each.thread_id", "=", threadId)
    .where("each.checkpoint_ns", "=", checkpointNs)
    .select("each.checkpoint_id")
    .orderBy(sql`each.checkpoint_id collate "C"`, "desc")
    .limit(sql.lit(1));
  return sql<string>`(case when ${isUuid6(last)} then ${last} else (${newest}) end)`;
}
