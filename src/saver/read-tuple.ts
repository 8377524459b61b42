import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import type { ChainedValue } from "../splices/value-chain.js";
import { MIN_SPLICED_BYTES } from "../splices/splice-type.js";
import type { SaverCall } from "./call/saver-call.js";
import type { ContextualSerializer } from "../serde/serde-context.js";
import { getTupleRows, type TupleKey } from "./queries/get-tuple-rows.js";
import type { TupleRow } from "./queries/tuple-row.js";
import { decodeTuple } from "./codec/decode-tuple.js";
import { groupTuple } from "./codec/group-rows.js";
import type { ReadValue } from "./codec/read-chain.js";
import { inlineOfAncestors } from "./inline-of-ancestors.js";
import { bytesRead } from "./codec/bytes-read.js";
import { valueReader } from "./read-long-values.js";
import { readUnreplaced } from "./replaced-value.js";
import type { TupleSelection } from "./model/tuple-shape.js";

/**
 * Reads a checkpoint in one statement (C10), or the newest of the namespace where the key names none. Returns `undefined`
 * where there is none.
 *
 * @param read - Identifies a read of several checkpoints that are in memory at the same time.
 */
export function readTuple(
  call: SaverCall,
  key: TupleKey,
  selection: TupleSelection,
  serde: ContextualSerializer,
  read?: object,
): Promise<CheckpointTuple | undefined> {
  return readUnreplaced(async () => {
    const rows = await readRows(call, key, selection);
    if (call.observer !== undefined) call.observer.addBytes(bytesRead(rows));
    const parts = groupTuple(rows, key, call.policy);
    if (parts === undefined) return undefined;
    const reader = { ...valueReader(call, serde, read), inlineOfAncestors: inlineOfAncestors(call) };
    const { memory } = call.policy;
    if (memory === undefined || selection.channels !== undefined)
      return decodeTuple(parts, selection, reader);
    const values = new Map<string, ChainedValue>();
    const remember = (channel: string, read: ReadValue): void => {
      const value = read.bytes.length < MIN_SPLICED_BYTES ? undefined : read.chained();
      if (value === undefined) return;
      // A copy: the tuple may share its bytes with the serializer's input.
      values.set(channel, { ...value, bytes: new Uint8Array(value.bytes) });
    };
    const tuple = await decodeTuple(parts, selection, { ...reader, remember });
    memory.remember(parts.key, values);
    return tuple;
  });
}

/** Reads the rows in a statement of their own, or together with reads that are made at the same time. */
function readRows(call: SaverCall, key: TupleKey, selection: TupleSelection): Promise<TupleRow[]> {
  const alone = (): Promise<TupleRow[]> => getTupleRows(call, key, selection);
  const { reads, signal, observer, progress } = call;
  return reads === undefined ? alone() : reads.read({ key, selection, signal, observer, progress, alone });
}
