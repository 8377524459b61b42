import { Statement } from "../../db/statements/statement.js";
import type { WriteKey } from "../../saver/queries/get-value-page.js";

/** A write in another form. */
export interface WriteReplacement extends WriteKey {
  readonly type: string;
  readonly blob: Uint8Array;
  /** What is stored now. A write that has changed meanwhile stays. */
  readonly before: Uint8Array;
}

/** Replaces what is stored of a write, and returns its position. Returns no row for a write that has changed meanwhile. */
export const replaceWrite = new Statement<WriteReplacement, { readonly idx: number }>((db, parameter) =>
  db
    .updateTable("checkpoint_writes")
    .set({ type: parameter("type"), blob: parameter("blob") })
    .where("thread_id", "=", parameter("threadId"))
    .where("checkpoint_ns", "=", parameter("checkpointNs"))
    .where("checkpoint_id", "=", parameter("checkpointId"))
    .where("task_id", "=", parameter("taskId"))
    .where("idx", "=", parameter("idx"))
    .where("blob", "=", parameter("before"))
    .returning("idx"),
);
