import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import type { CallContext } from "../db/call-context.js";
import type { ContextualSerializer } from "../serde/serde-context.js";
import type { CheckpointKey, NamespaceKey } from "./model/checkpoint-key.js";
import { decodeTuple } from "./codec/decode-tuple.js";
import { groupTuple } from "./codec/group-rows.js";
import { bytesRead } from "./codec/bytes-read.js";
import { readUnreplaced, valueReader } from "./long-values.js";
import { getTupleRows } from "./queries/get-tuple-rows.js";
import type { TupleSelection } from "./model/tuple-shape.js";

/**
 * Reads a checkpoint in one statement (C10), or the newest of the namespace where the key names none. Returns `undefined`
 * where there is none.
 *
 * @param read - Identifies a read of several checkpoints that are in memory at the same time.
 */
export function readTuple(
  call: CallContext,
  key: NamespaceKey & Partial<CheckpointKey>,
  selection: TupleSelection,
  serde: ContextualSerializer,
  read?: object,
): Promise<CheckpointTuple | undefined> {
  return readUnreplaced(async () => {
    const rows = await getTupleRows(call, key, selection);
    if (call.observer !== undefined) call.observer.addBytes(bytesRead(rows));
    const parts = groupTuple(rows, key);
    return parts && decodeTuple(parts, selection, valueReader(call, serde, read));
  });
}
