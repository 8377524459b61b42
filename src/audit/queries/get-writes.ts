import { type AddedColumns, addedColumns } from "../../db/added-columns.js";
import { type CallContext, pieceBytesOf } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { StatementFamily } from "../../db/statements/statement.js";
import type { CheckpointKey, NamespaceKey } from "../../saver/model/keys.js";
import { newestCheckpointId } from "../../saver/queries/table-page.js";
import { type RecordedWriteRow, type RecordedWritesParams, selectRecordedWrites } from "./recorded-writes.js";

/**
 * Reads the writes beside a checkpoint, ordered by task path, task and position. Without `checkpointId` it reads those of the
 * namespace's newest checkpoint.
 */
export async function getWrites(
  call: CallContext,
  { threadId, checkpointNs, checkpointId }: NamespaceKey & Partial<CheckpointKey>,
): Promise<RecordedWriteRow[]> {
  const shape = { hasId: checkpointId !== undefined, ...(await addedColumns(call)) };
  return runStatement(call, statements.of(shape), {
    threadId,
    checkpointNs,
    checkpointId: checkpointId ?? "",
    pieceBytes: pieceBytesOf(call),
  });
}

type WritesParams = CheckpointKey & RecordedWritesParams;

interface WritesShape extends AddedColumns {
  readonly hasId: boolean;
}

const statements = /* @__PURE__ */ new StatementFamily<WritesShape, WritesParams, RecordedWriteRow>(
  ({ hasId, ...columns }) =>
    (db, parameter) =>
      selectRecordedWrites(db, parameter, columns).where(
        "write.checkpoint_id",
        "=",
        hasId ? parameter("checkpointId") : newestCheckpointId(db, parameter),
      ),
);
