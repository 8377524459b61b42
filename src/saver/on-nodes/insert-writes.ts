import type { BoundStatement } from "../../db/statements/statement.js";
import { StatementFamily } from "../../db/statements/statement-family.js";
import type { WriteRow } from "../queries/checkpoint-rows.js";
import { specialWriteIsReplaced } from "../queries/conflict-rules.js";
import { type NumberedRows, numberedRows } from "./numbered-rows.js";

/** Stores writes of one thread, as `insertHeaders` stores checkpoints. */
export function insertWrites(
  schema: string,
  threadId: string,
  rows: readonly WriteRow[],
): BoundStatement<unknown> {
  return inserts.of(rows.length).bind(schema, { threadId, ...numberedRows(COLUMNS, rows) });
}

const COLUMNS = [
  "checkpointNs",
  "checkpointId",
  "taskId",
  "taskPath",
  "idx",
  "channel",
  "type",
  "blob",
] as const;

type WriteParams = NumberedRows<WriteRow, (typeof COLUMNS)[number]> & { readonly threadId: string };

const inserts = /* @__PURE__ */ new StatementFamily<number, WriteParams, unknown>(
  (count) => (db, parameter) =>
    db
      .insertInto("checkpoint_writes")
      .values(
        Array.from({ length: count }, (_, nth) => ({
          thread_id: parameter("threadId"),
          checkpoint_ns: parameter(`checkpointNs_${nth}`),
          checkpoint_id: parameter(`checkpointId_${nth}`),
          task_id: parameter(`taskId_${nth}`),
          task_path: parameter(`taskPath_${nth}`),
          idx: parameter(`idx_${nth}`),
          channel: parameter(`channel_${nth}`),
          type: parameter(`type_${nth}`),
          blob: parameter(`blob_${nth}`),
        })),
      )
      .onConflict(specialWriteIsReplaced),
);
