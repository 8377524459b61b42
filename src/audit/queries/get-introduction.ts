import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { queryOf } from "../../db/statements/run-statement.js";
import type { CheckpointKey } from "../../saver/model/keys.js";

/** The checkpoint in which a version of a channel first appears. */
export interface IntroductionRow {
  readonly ts: string | null;
  readonly source: string | null;
  /** The super-step, as text. */
  readonly step: string | null;
  readonly parent_checkpoint_id: string | null;
  /** The super-step of the parent, if it is stored. */
  readonly parent_step: string | null;
  /** Whether LangGraph lists the channel among those that the step updated; `null` if the header has no list. */
  readonly is_updated: boolean | null;
  /** Whether a task that started from the parent wrote to the channel. */
  readonly is_written: boolean;
  /** Whether the writes of such tasks are stored. */
  readonly has_writes: boolean;
  /** Whether a value of the channel is stored at any version. */
  readonly has_values: boolean;
}

/** A version of a channel, and a checkpoint that has it. */
export interface IntroducedVersion extends CheckpointKey {
  readonly channel: string;
  readonly version: string;
}

/**
 * Walks from a checkpoint to its stored ancestors as long as they have the same version of a channel, and returns the oldest.
 * The walk is a UNION, so that it also ends on a cycle of damaged rows; then it returns `undefined`.
 */
export async function getIntroduction(
  call: CallContext,
  version: IntroducedVersion,
): Promise<IntroductionRow | undefined> {
  return (await introduction(call, version))[0];
}

const UPDATED = sql`own.checkpoint -> 'updated_channels'`;

const introduction = queryOf<IntroducedVersion, IntroductionRow>((db, parameter) => {
  const [threadId, checkpointNs, channel] = [
    parameter("threadId"),
    parameter("checkpointNs"),
    parameter("channel"),
  ];
  const parentWrites = db
    .selectFrom("checkpoint_writes as written")
    .select("written.idx")
    .where("written.thread_id", "=", threadId)
    .where("written.checkpoint_ns", "=", checkpointNs)
    .where("written.checkpoint_id", "=", sql<string>`walk.parent_checkpoint_id`);
  const values = db
    .selectFrom("checkpoint_blobs as stored")
    .select("stored.type")
    .where("stored.thread_id", "=", threadId)
    .where("stored.checkpoint_ns", "=", checkpointNs)
    .where("stored.channel", "=", channel)
    .where("stored.type", "<>", "empty");
  return db
    .withRecursive("walk", (qb) =>
      qb
        .selectFrom("checkpoints as own")
        .where("own.thread_id", "=", threadId)
        .where("own.checkpoint_ns", "=", checkpointNs)
        .where("own.checkpoint_id", "=", parameter("checkpointId"))
        .select(["own.checkpoint_id", "own.parent_checkpoint_id"])
        .union((recursive) =>
          recursive
            .selectFrom("walk")
            .innerJoin("checkpoints as own", "own.checkpoint_id", "walk.parent_checkpoint_id")
            .where("own.thread_id", "=", threadId)
            .where("own.checkpoint_ns", "=", checkpointNs)
            .where(
              sql<string>`own.checkpoint -> 'channel_versions' ->> ${channel}`,
              "=",
              parameter("version"),
            )
            .select(["own.checkpoint_id", "own.parent_checkpoint_id"]),
        ),
    )
    .selectFrom("walk")
    .innerJoin("checkpoints as own", "own.checkpoint_id", "walk.checkpoint_id")
    .leftJoin("checkpoints as parent", (join) =>
      join
        .onRef("parent.checkpoint_id", "=", "walk.parent_checkpoint_id")
        .on("parent.thread_id", "=", threadId)
        .on("parent.checkpoint_ns", "=", checkpointNs),
    )
    .where("own.thread_id", "=", threadId)
    .where("own.checkpoint_ns", "=", checkpointNs)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("walk as older")
            .select("older.checkpoint_id")
            .whereRef("older.checkpoint_id", "=", "walk.parent_checkpoint_id"),
        ),
      ),
    )
    .select("walk.parent_checkpoint_id")
    .select((eb) => [
      sql<string | null>`own.checkpoint ->> 'ts'`.as("ts"),
      sql<string | null>`own.metadata ->> 'source'`.as("source"),
      sql<string | null>`own.metadata ->> 'step'`.as("step"),
      sql<string | null>`parent.metadata ->> 'step'`.as("parent_step"),
      sql<
        boolean | null
      >`case when jsonb_typeof(${UPDATED}) = 'array' then jsonb_exists(${UPDATED}, ${channel}) end`.as(
        "is_updated",
      ),
      eb
        .exists(parentWrites.where("written.channel", "=", channel))
        .$castTo<boolean>()
        .as("is_written"),
      eb
        .exists(parentWrites.where("written.idx", ">=", 0))
        .$castTo<boolean>()
        .as("has_writes"),
      eb.exists(values).$castTo<boolean>().as("has_values"),
    ]);
});
