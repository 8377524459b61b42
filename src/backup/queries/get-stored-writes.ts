import { sql } from "kysely";
import { type CallContext, pieceBytesOf } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import { sentBytes } from "../../saver/queries/sent-row.js";
import type { WriteKeyRow } from "./get-write-keys.js";

/** A row of `checkpoint_writes` as it is stored. */
export interface StoredWriteRow extends Omit<WriteKeyRow, "bytes"> {
  task_path: string | null;
  channel: string;
  type: string | null;
  /** As `sentBytes` selects it. */
  blob: string | null;
}

/** Reads writes by their keys, in any order. Deleted rows are left out. */
export function getStoredWrites(
  call: CallContext,
  threadId: string,
  keys: readonly WriteKeyRow[],
): Promise<StoredWriteRow[]> {
  return runStatement(call, storedWrites, {
    threadId,
    pieceBytes: pieceBytesOf(call),
    namespaces: keys.map((key) => key.checkpoint_ns),
    checkpoints: keys.map((key) => key.checkpoint_id),
    tasks: keys.map((key) => key.task_id),
    positions: keys.map(({ idx }) => idx),
  });
}

interface StoredWriteParams {
  readonly threadId: string;
  readonly pieceBytes: number;
  readonly namespaces: readonly string[];
  readonly checkpoints: readonly string[];
  readonly tasks: readonly string[];
  readonly positions: readonly number[];
}

const storedWrites = /* @__PURE__ */ new Statement<StoredWriteParams, StoredWriteRow>((db, parameter) =>
  db
    .selectFrom(
      sql<Omit<WriteKeyRow, "bytes">>`unnest(
        ${parameter("namespaces")}::text[], ${parameter("checkpoints")}::text[], ${parameter("tasks")}::text[],
        ${parameter("positions")}::integer[]
      )`.as<"wanted">(sql`wanted(checkpoint_ns, checkpoint_id, task_id, idx)`),
    )
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom("checkpoint_writes as write")
          .select(["write.checkpoint_ns", "write.checkpoint_id", "write.task_id", "write.idx"])
          .select(["write.channel", "write.type"])
          .select(sql<string | null>`write.task_path`.as("task_path"))
          .select(sentBytes("write", parameter("pieceBytes")).as("blob"))
          .where("write.thread_id", "=", parameter("threadId"))
          .whereRef("write.checkpoint_ns", "=", "wanted.checkpoint_ns")
          .whereRef("write.checkpoint_id", "=", "wanted.checkpoint_id")
          .whereRef("write.task_id", "=", "wanted.task_id")
          .whereRef("write.idx", "=", "wanted.idx")
          // OFFSET 0 makes the planner look up each write by the index, whatever the statistics say.
          .offset(sql.lit(0))
          .as("found"),
      (join) => join.onTrue(),
    )
    .selectAll("found"),
);
