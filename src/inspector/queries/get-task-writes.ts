import { type RecordedWriteRow, selectRecordedWrites } from "../../audit/queries/recorded-writes.js";
import { type AddedColumns, addedColumns } from "../../db/added-columns.js";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { StatementFamily } from "../../db/statements/statement.js";
import type { CheckpointPlace } from "../api/places.js";

/** Which writes to read, and how much of them. */
export interface WritesPart {
  readonly maxWrites: number;
  /** Longer values are not read. */
  readonly maxBytes: number;
}

/** Reads the writes beside a checkpoint, ordered by task path, task and position. */
export async function getTaskWrites(
  call: CallContext,
  { namespace: checkpointNs, ...place }: CheckpointPlace,
  { maxWrites, maxBytes }: WritesPart,
): Promise<RecordedWriteRow[]> {
  return runStatement(call, writes.of(await addedColumns(call)), {
    ...place,
    checkpointNs,
    maxWrites,
    pieceBytes: maxBytes,
  });
}

interface WritesParams extends Omit<CheckpointPlace, "namespace"> {
  readonly checkpointNs: string;
  readonly maxWrites: number;
  readonly pieceBytes: number;
}

const writes = /* @__PURE__ */ new StatementFamily<AddedColumns, WritesParams, RecordedWriteRow>(
  (columns) => (db, parameter) =>
    selectRecordedWrites(db, parameter, columns)
      .where("write.checkpoint_id", "=", parameter("checkpointId"))
      .limit(parameter("maxWrites")),
);
