import { TASKS } from "@langchain/langgraph-checkpoint";
import { type QueryCreator, type RawBuilder, sql, type SqlBool } from "kysely";
import { eachChannelVersion, eachCountedChannel } from "./header-parts.js";
import type { WithKept } from "./kept-checkpoints.js";

interface LackingVersion {
  thread_id: string;
  checkpoint_ns: string;
  channel: string;
  version: string;
}

type WithLacking = WithKept & { lacking: LackingVersion };

/**
 * The CTE `lacking`: the versions without a stored value that a kept checkpoint has, and whose parent is not kept. A channel that holds
 * nothing has such a version, and a delta channel, whose value is computed from the writes of ancestors up to the nearest one
 * that has a value. Where the parent of each checkpoint without a value is kept, all of these are.
 *
 * @param threadId - The thread of `child`: its column, or the parameter of the statement.
 */
export function lackingVersions(db: QueryCreator<WithKept>, threadId: RawBuilder<string>) {
  return (
    db
      .selectFrom("kept as child")
      .innerJoinLateral(eachChannelVersion(sql`child.channel_versions`), (join) => join.onTrue())
      .select(["child.thread_id", "child.checkpoint_ns", "entry.channel", "entry.version"])
      // The sends of a checkpoint before version 4 are writes of its parent.
      .where("entry.channel", "<>", sql.lit(TASKS))
      .where(sql<SqlBool>`not coalesce(jsonb_exists(child.channel_values, entry.channel), false)`)
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom("kept as parent")
              .select("parent.rank")
              .whereRef("parent.thread_id", "=", "child.thread_id")
              .whereRef("parent.checkpoint_ns", "=", "child.checkpoint_ns")
              .whereRef("parent.checkpoint_id", "=", "child.parent_checkpoint_id"),
          ),
        ),
      )
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom("checkpoint_blobs as whole")
              .select("whole.type")
              .where("whole.thread_id", "=", threadId)
              .whereRef("whole.checkpoint_ns", "=", "child.checkpoint_ns")
              .whereRef("whole.channel", "=", "entry.channel")
              .whereRef("whole.version", "=", "entry.version")
              .where("whole.type", "<>", sql.lit("empty")),
          ),
        ),
      )
  );
}

/** The namespaces that lack a value of a channel whose changes LangGraph counts in the metadata of any of their checkpoints. */
export function lackingCounted(db: QueryCreator<WithLacking>, threadId: RawBuilder<string>) {
  return db
    .selectFrom("lacking")
    .innerJoin("checkpoints as counting", (join) =>
      join
        .on("counting.thread_id", "=", threadId)
        .onRef("counting.checkpoint_ns", "=", "lacking.checkpoint_ns"),
    )
    .innerJoinLateral(
      (eb) => eachCountedChannel(eb.ref("counting.metadata")),
      (join) => join.onRef("counted.channel", "=", "lacking.channel"),
    )
    .select(["lacking.thread_id", "lacking.checkpoint_ns"]);
}

/**
 * The namespaces that lack a value of a version that was made by a write of the parent of the first checkpoint that has it. LangGraph.js
 * counts nothing in a snapshot, and older ones nothing in a manual update of the state. A step that empties a channel doesn't write
 * to it.
 */
export function lackingWritten(db: QueryCreator<WithLacking>, threadId: RawBuilder<string>) {
  return db
    .selectFrom("lacking")
    .innerJoin("checkpoints as holder", (join) =>
      join
        .on("holder.thread_id", "=", threadId)
        .onRef("holder.checkpoint_ns", "=", "lacking.checkpoint_ns")
        .on(sql<SqlBool>`holder.checkpoint -> 'channel_versions' ->> lacking.channel = lacking.version`),
    )
    .innerJoin("checkpoints as before", (join) =>
      join
        .on("before.thread_id", "=", threadId)
        .onRef("before.checkpoint_ns", "=", "holder.checkpoint_ns")
        .onRef("before.checkpoint_id", "=", "holder.parent_checkpoint_id")
        .on(
          sql<SqlBool>`before.checkpoint -> 'channel_versions' ->> lacking.channel is distinct from lacking.version`,
        ),
    )
    .innerJoin("checkpoint_writes as write", (join) =>
      join
        .on("write.thread_id", "=", threadId)
        .onRef("write.checkpoint_ns", "=", "before.checkpoint_ns")
        .onRef("write.checkpoint_id", "=", "before.checkpoint_id")
        .onRef("write.channel", "=", "lacking.channel"),
    )
    .select(["lacking.thread_id", "lacking.checkpoint_ns"]);
}
