import { TASKS } from "@langchain/langgraph-checkpoint";
import { type ExpressionBuilder, type QueryCreator, type RawBuilder, sql, type SqlBool } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { eachChannelVersion, eachCountedChannel, hasInline } from "./header-parts.js";
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
 * The namespaces that lack a value of a version which the header of a checkpoint has (see `getInlineOfAncestors`), or which was made by a
 * write of the parent of the first checkpoint that has it. LangGraph.js counts nothing in a snapshot, and older ones nothing in a manual
 * update of the state. A step that empties a channel doesn't write to it.
 */
export function lackingWritten(db: QueryCreator<WithLacking>, threadId: RawBuilder<string>) {
  return db
    .selectFrom("lacking")
    .select(["lacking.thread_id", "lacking.checkpoint_ns"])
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom("checkpoints as holder")
          .select("holder.type")
          .where("holder.thread_id", "=", threadId)
          .whereRef("holder.checkpoint_ns", "=", "lacking.checkpoint_ns")
          .where(hasVersion("holder"))
          .where((of) =>
            of.or([
              hasInline(of.ref("holder.checkpoint"), of.ref("lacking.channel")),
              of.and([of.exists(parentWithoutVersion(of, threadId)), of.exists(writeOfParent(of, threadId))]),
            ]),
          )
          // OFFSET keeps Postgres from making one large join of all, which takes it longer to plan than to run.
          .offset(sql.lit(0)),
      ),
    );
}

type OfHolder = ExpressionBuilder<
  WithLacking & { holder: CheckpointDatabase["checkpoints"] },
  "lacking" | "holder"
>;

function parentWithoutVersion(eb: OfHolder, threadId: RawBuilder<string>) {
  return eb
    .selectFrom("checkpoints as before")
    .select("before.type")
    .where("before.thread_id", "=", threadId)
    .whereRef("before.checkpoint_ns", "=", "lacking.checkpoint_ns")
    .whereRef("before.checkpoint_id", "=", "holder.parent_checkpoint_id")
    .where(sql<SqlBool>`${hasVersion("before")} is not true`)
    .offset(sql.lit(0));
}

function writeOfParent(eb: OfHolder, threadId: RawBuilder<string>) {
  return eb
    .selectFrom("checkpoint_writes as write")
    .select("write.idx")
    .where("write.thread_id", "=", threadId)
    .whereRef("write.checkpoint_ns", "=", "lacking.checkpoint_ns")
    .whereRef("write.checkpoint_id", "=", "holder.parent_checkpoint_id")
    .whereRef("write.channel", "=", "lacking.channel")
    .offset(sql.lit(0));
}

function hasVersion(checkpoint: "holder" | "before"): RawBuilder<SqlBool> {
  const versions = sql`${sql.ref(`${checkpoint}.checkpoint`)} -> 'channel_versions'`;
  return sql<SqlBool>`(${versions} ->> lacking.channel = lacking.version)`;
}
