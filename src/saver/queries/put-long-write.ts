import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import type { WriteRow } from "./checkpoint-rows.js";
import { specialWriteIsReplaced } from "./conflict-rules.js";

/** Stores one pending write with its bytes as a parameter of their own; see `putLongBlob`. */
export function putLongWrite(schema: string, row: WriteRow): BoundStatement<unknown> {
  return putOne.bind(schema, row);
}

const putOne = /* @__PURE__ */ new Statement<WriteRow, unknown>((db, parameter) =>
  db
    .insertInto("checkpoint_writes")
    .values({
      thread_id: parameter("threadId"),
      checkpoint_ns: parameter("checkpointNs"),
      checkpoint_id: parameter("checkpointId"),
      task_id: parameter("taskId"),
      task_path: parameter("taskPath"),
      idx: parameter("idx"),
      channel: parameter("channel"),
      type: parameter("type"),
      blob: parameter("blob"),
    })
    .onConflict(specialWriteIsReplaced),
);
