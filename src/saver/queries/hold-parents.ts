import { sql } from "kysely";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import type { CheckpointKey } from "../model/checkpoint-key.js";

/** A stored checkpoint. */
export interface HeldRow {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  readonly checkpoint_id: string;
}

/**
 * Locks checkpoints until the transaction ends. Nobody can delete them before, so a later collection of orphaned
 * values sees what the transaction stores. Returns the checkpoints that are stored.
 */
export function holdParents(schema: string, keys: readonly CheckpointKey[]): BoundStatement<HeldRow> {
  return holdAll.bind(schema, {
    threadIds: keys.map(({ threadId }) => threadId),
    checkpointNss: keys.map(({ checkpointNs }) => checkpointNs),
    checkpointIds: keys.map(({ checkpointId }) => checkpointId),
  });
}

interface HoldParams {
  readonly threadIds: readonly string[];
  readonly checkpointNss: readonly string[];
  readonly checkpointIds: readonly string[];
}

const holdAll = /* @__PURE__ */ new Statement<HoldParams, HeldRow>((db, parameter) =>
  db
    .selectFrom("checkpoints as parent")
    .innerJoin(
      sql<HeldRow>`unnest(
        ${parameter("threadIds")}::text[],
        ${parameter("checkpointNss")}::text[],
        ${parameter("checkpointIds")}::text[]
      )`.as<"given">(sql`given(thread_id, checkpoint_ns, checkpoint_id)`),
      (join) =>
        join
          .onRef("given.thread_id", "=", "parent.thread_id")
          .onRef("given.checkpoint_ns", "=", "parent.checkpoint_ns")
          .onRef("given.checkpoint_id", "=", "parent.checkpoint_id"),
    )
    .select(["parent.thread_id", "parent.checkpoint_ns", "parent.checkpoint_id"])
    // Every statement that locks several checkpoints uses this order (C2).
    .orderBy(sql`parent.thread_id collate "C"`)
    .orderBy(sql`parent.checkpoint_ns collate "C"`)
    .orderBy(sql`parent.checkpoint_id collate "C"`)
    .forKeyShare("parent"),
);
