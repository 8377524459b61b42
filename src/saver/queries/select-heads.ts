import { sql } from "kysely";
import { type BoundStatement, StatementFamily } from "../../db/statements/statement.js";
import type { CheckpointKey } from "../model/keys.js";
import { givenThreadId, type ThreadGroup, type ThreadNaming } from "./thread-groups.js";

/** The state of a namespace, for a checkpoint that is about to be stored there. */
export interface HeadRow {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  /** The checkpoint that is about to be stored. */
  readonly checkpoint_id: string;
  /** The newest stored checkpoint, or `null` where there is none. */
  readonly head_checkpoint_id: string | null;
  /** The parent of the newest stored checkpoint. */
  readonly head_parent_checkpoint_id: string | null;
  /** Whether the checkpoint itself is stored already. */
  readonly is_stored: boolean;
}

/** Reads the newest checkpoint of the namespace of each checkpoint that is about to be stored. */
export function selectHeads(
  schema: string,
  { naming, threadId, items: keys }: ThreadGroup<CheckpointKey>,
): BoundStatement<HeadRow> {
  return heads.of(naming).bind(schema, {
    threadId,
    threadIds: keys.map(({ threadId }) => threadId),
    checkpointNss: keys.map(({ checkpointNs }) => checkpointNs),
    checkpointIds: keys.map(({ checkpointId }) => checkpointId),
  });
}

interface HeadParams {
  readonly threadId: string;
  readonly threadIds: readonly string[];
  readonly checkpointNss: readonly string[];
  readonly checkpointIds: readonly string[];
}

const heads = new StatementFamily<ThreadNaming, HeadParams, HeadRow>((naming) => (db, parameter) => {
  const threadId = givenThreadId(naming, parameter, "given.thread_id");
  return db
    .selectFrom(
      sql<Pick<HeadRow, "thread_id" | "checkpoint_ns" | "checkpoint_id">>`unnest(
        ${parameter("threadIds")}::text[],
        ${parameter("checkpointNss")}::text[],
        ${parameter("checkpointIds")}::text[]
      )`.as<"given">(sql`given(thread_id, checkpoint_ns, checkpoint_id)`),
    )
    .leftJoinLateral(
      (given) =>
        given
          .selectFrom("checkpoints as newest")
          .select(["newest.checkpoint_id", "newest.parent_checkpoint_id"])
          .where("newest.thread_id", "=", threadId)
          .whereRef("newest.checkpoint_ns", "=", "given.checkpoint_ns")
          .orderBy(sql`newest.checkpoint_id collate "C"`, "desc")
          .limit(sql.lit(1))
          .as("head"),
      (join) => join.onTrue(),
    )
    .select([
      "given.thread_id",
      "given.checkpoint_ns",
      "given.checkpoint_id",
      "head.checkpoint_id as head_checkpoint_id",
      "head.parent_checkpoint_id as head_parent_checkpoint_id",
    ])
    .select((given) =>
      given
        .exists(
          given
            .selectFrom("checkpoints as stored")
            .select("stored.checkpoint_id")
            .where("stored.thread_id", "=", threadId)
            .whereRef("stored.checkpoint_ns", "=", "given.checkpoint_ns")
            .whereRef("stored.checkpoint_id", "=", "given.checkpoint_id"),
        )
        .$castTo<boolean>()
        .as("is_stored"),
    );
});
