import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import type { WriteKey } from "../../saver/queries/get-value-page.js";

/** A write in another form. */
export interface WriteReplacement extends WriteKey {
  readonly type: string;
  readonly blob: Uint8Array;
  /** What is stored now. A write that has changed meanwhile stays. */
  readonly before: Uint8Array;
}

/** Replaces what is stored of a write. */
export function replaceWrite(
  schema: string,
  { threadId, checkpointNs, checkpointId, taskId, idx, type, blob, before }: WriteReplacement,
): BoundStatement<unknown> {
  return replace.bind(schema, { threadId, checkpointNs, checkpointId, taskId, idx, type, blob, before });
}

const replace = /* @__PURE__ */ new Statement<WriteReplacement, unknown>((db, parameter) =>
  db
    .updateTable("checkpoint_writes")
    .set({ type: parameter("type"), blob: parameter("blob") })
    .where("thread_id", "=", parameter("threadId"))
    .where("checkpoint_ns", "=", parameter("checkpointNs"))
    .where("checkpoint_id", "=", parameter("checkpointId"))
    .where("task_id", "=", parameter("taskId"))
    .where("idx", "=", parameter("idx"))
    .where("blob", "=", parameter("before")),
);
