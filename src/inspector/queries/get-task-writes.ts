import { type RecordedWriteRow, selectRecordedWrites } from "../../audit/queries/recorded-writes.js";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import type { CheckpointPlace } from "../api/places.js";

/** Which writes to read, and how much of them. */
export interface WritesPart {
  readonly maxWrites: number;
  /** Longer values are not read. */
  readonly maxBytes: number;
}

/** Reads the writes beside a checkpoint, ordered by task path, task and position. */
export function getTaskWrites(
  call: CallContext,
  { namespace: checkpointNs, ...place }: CheckpointPlace,
  { maxWrites, maxBytes }: WritesPart,
): Promise<RecordedWriteRow[]> {
  return runStatement(call, writes, { ...place, checkpointNs, maxWrites, pieceBytes: maxBytes });
}

interface WritesParams extends Omit<CheckpointPlace, "namespace"> {
  readonly checkpointNs: string;
  readonly maxWrites: number;
  readonly pieceBytes: number;
}

const writes = /* @__PURE__ */ new Statement<WritesParams, RecordedWriteRow>((db, parameter) =>
  selectRecordedWrites(db, parameter)
    .where("write.checkpoint_id", "=", parameter("checkpointId"))
    .limit(parameter("maxWrites")),
);
