import { TASKS } from "@langchain/langgraph-checkpoint";
import { type Expression, type QueryCreator, type RawBuilder, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { tupleColumns } from "./tuple-row.js";

/** The checkpoints that a read is about: the CTE `page` that {@link selectTupleRows} goes on from. */
export type WithPage = CheckpointDatabase & { page: CheckpointDatabase["checkpoints"] };

/**
 * From the checkpoints in the CTE `page` to all the rows that their tuples are made of, in one statement.
 *
 * Every table is asked through a lateral subquery with a LIMIT or OFFSET, which the planner may not turn into a hash
 * join: over a long thread it would read all blobs in order to find ten.
 *
 * @param thread - The thread's id, where the whole page is of one thread: then every table is asked by it.
 */
export function selectTupleRows(db: QueryCreator<WithPage>, thread?: RawBuilder<string>) {
  return withParts(db, thread)
    .selectFrom("page")
    .select((eb) =>
      tupleColumns("checkpoint", {
        thread_id: eb.ref("page.thread_id"),
        checkpoint_ns: eb.ref("page.checkpoint_ns"),
        checkpoint_id: eb.ref("page.checkpoint_id"),
        parent_checkpoint_id: eb.ref("page.parent_checkpoint_id"),
        checkpoint: asText(eb.ref("page.checkpoint")),
        metadata: asText(eb.ref("page.metadata")),
      }),
    )
    .unionAll((qb) =>
      qb.selectFrom("channel_values as value").select((eb) =>
        tupleColumns("value", {
          thread_id: eb.ref("value.thread_id"),
          checkpoint_ns: eb.ref("value.checkpoint_ns"),
          channel: eb.ref("value.channel"),
          version: eb.ref("value.version"),
          type: eb.ref("value.type"),
          blob: eb.ref("value.blob"),
        }),
      ),
    )
    .unionAll((qb) =>
      qb.selectFrom("pending_writes as write").select((eb) =>
        tupleColumns("write", {
          thread_id: eb.ref("write.thread_id"),
          checkpoint_ns: eb.ref("write.checkpoint_ns"),
          checkpoint_id: eb.ref("write.checkpoint_id"),
          channel: eb.ref("write.channel"),
          task_id: eb.ref("write.task_id"),
          task_path: eb.ref("write.task_path"),
          idx: eb.ref("write.idx"),
          type: eb.ref("write.type"),
          blob: eb.ref("write.blob"),
        }),
      ),
    )
    .unionAll((qb) =>
      qb.selectFrom("pending_sends as send").select((eb) =>
        tupleColumns("send", {
          thread_id: eb.ref("send.thread_id"),
          checkpoint_ns: eb.ref("send.checkpoint_ns"),
          checkpoint_id: eb.ref("send.checkpoint_id"),
          task_id: eb.ref("send.task_id"),
          task_path: eb.ref("send.task_path"),
          idx: eb.ref("send.idx"),
          type: eb.ref("send.type"),
          blob: eb.ref("send.blob"),
        }),
      ),
    );
}

function withParts(db: QueryCreator<WithPage>, thread?: RawBuilder<string>) {
  return db
    .with("channel_versions", (qb) =>
      qb
        .selectFrom("page")
        .innerJoinLateral(
          (eb) => eachChannelVersion(eb.ref("page.checkpoint")),
          (join) => join.onTrue(),
        )
        .select(["page.thread_id", "page.checkpoint_ns", "entry.channel", "entry.version"])
        .distinct(),
    )
    .with("channel_values", (qb) =>
      qb
        .selectFrom("channel_versions as wanted")
        .innerJoinLateral(
          (eb) =>
            eb
              .selectFrom("checkpoint_blobs as stored")
              .select(["stored.type", "stored.blob"])
              .where("stored.thread_id", "=", thread ?? eb.ref("wanted.thread_id"))
              .whereRef("stored.checkpoint_ns", "=", "wanted.checkpoint_ns")
              .whereRef("stored.channel", "=", "wanted.channel")
              .whereRef("stored.version", "=", "wanted.version")
              .limit(sql.lit(1))
              .as("found"),
          (join) => join.onTrue(),
        )
        .selectAll("wanted")
        .select(["found.type", "found.blob"])
        .where("found.type", "<>", sql.lit("empty")),
    )
    .with("pending_writes", (qb) =>
      qb
        .selectFrom("page")
        .innerJoinLateral(
          (eb) =>
            eb
              .selectFrom("checkpoint_writes as stored")
              .select(["stored.task_id", "stored.task_path", "stored.idx"])
              .select(["stored.channel", "stored.type", "stored.blob"])
              .where("stored.thread_id", "=", thread ?? eb.ref("page.thread_id"))
              .whereRef("stored.checkpoint_ns", "=", "page.checkpoint_ns")
              .whereRef("stored.checkpoint_id", "=", "page.checkpoint_id")
              .offset(sql.lit(0))
              .as("found"),
          (join) => join.onTrue(),
        )
        .selectAll("found")
        .select(["page.thread_id", "page.checkpoint_ns", "page.checkpoint_id"]),
    )
    .with("pending_sends", (qb) =>
      qb
        .selectFrom("page")
        .innerJoinLateral(
          (eb) =>
            eb
              .selectFrom("checkpoint_writes as stored")
              .select(["stored.task_id", "stored.task_path", "stored.idx", "stored.type", "stored.blob"])
              .where("stored.thread_id", "=", thread ?? eb.ref("page.thread_id"))
              .whereRef("stored.checkpoint_ns", "=", "page.checkpoint_ns")
              .whereRef("stored.checkpoint_id", "=", "page.parent_checkpoint_id")
              .where("stored.channel", "=", sql.lit(TASKS))
              .where(isBeforeVersion4(eb.ref("page.checkpoint")))
              .offset(sql.lit(0))
              .as("found"),
          (join) => join.onTrue(),
        )
        .selectAll("found")
        .select(["page.thread_id", "page.checkpoint_ns", "page.checkpoint_id"]),
    );
}

/** The entries of `channel_versions`; none where a row is so corrupt that it is no object. */
function eachChannelVersion(checkpoint: Expression<unknown>) {
  const versions = sql`${checkpoint} -> 'channel_versions'`;
  const entries = sql<{ channel: string; version: string }>`
    jsonb_each_text(case when jsonb_typeof(${versions}) = 'object' then ${versions} end)`;
  return entries.as<"entry">(sql`entry(channel, version)`);
}

function isBeforeVersion4(checkpoint: Expression<unknown>) {
  return sql<boolean>`${checkpoint} -> 'v' < '4'::jsonb`;
}

function asText(json: Expression<unknown>) {
  return sql<string>`${json}::text`;
}
