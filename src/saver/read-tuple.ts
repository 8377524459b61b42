import type { CheckpointTuple } from "@langchain/langgraph-checkpoint";
import type { ChainedValue } from "../splices/value-chain.js";
import { MIN_SPLICED_BYTES } from "../splices/splice-type.js";
import type { SaverCall } from "./call/saver-call.js";
import type { ContextualSerializer } from "../serde/serde-context.js";
import { getTupleRows, type TupleKey } from "./queries/get-tuple-rows.js";
import type { TupleRow } from "./queries/tuple-row.js";
import { decodeTuple, type InlineOfAncestors } from "./codec/decode-tuple.js";
import { groupTuple } from "./codec/group-rows.js";
import type { ReadValue } from "./codec/read-chain.js";
import { bytesRead } from "./codec/decode-value.js";
import { valueReader, readUnreplaced } from "./read-long-values.js";
import type { TupleSelection } from "./model/tuple-shape.js";
import type { ReadRequest } from "./boundary/parse-read.js";
import { loadOnce } from "../db/async/load-once.js";
import type { CallContext } from "../db/call-context.js";
import { rowKey } from "./model/keys.js";

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

/**
 * Reads a checkpoint as `PostgresSaver.getTuple` does. Where a run may continue from it, this waits until the clock has passed its time
 * (C17), and holds neither a connection nor a place in a group meanwhile.
 */
export async function getTuple(
  call: SaverCall,
  key: TupleKey,
  { selection, mayContinue }: ReadRequest,
  serde: ContextualSerializer,
): Promise<CheckpointTuple | undefined> {
  const tuple = await readTuple(call, key, selection, serde);
  if (tuple === undefined || !mayContinue) return tuple;
  const { threadId, checkpointNs } = key;
  const isNewest = key.checkpointId === undefined;
  await call.policy.clock?.waitFor(call, {
    threadId,
    checkpointNs,
    checkpointId: tuple.checkpoint.id,
    isNewest,
  });
  return tuple;
}

// Few threads lack values.
const loadQuery = loadOnce(() => import("./queries/get-inline-of-ancestors.js"));

/**
 * Finds inline values that checkpoints lack in the headers of their ancestors. It asks once for a version that is text, which many
 * successive checkpoints share. Versions that are numbers may be equal in two branches.
 */
export function inlineOfAncestors(call: CallContext): InlineOfAncestors {
  const known = new Map<string, string | undefined>();
  return async (key, versions) => {
    const idOf = (channel: string): string =>
      rowKey(key.threadId, key.checkpointNs, channel, String(versions.get(channel)));
    const asked = [...versions.keys()].filter((channel) => !known.has(idOf(channel)));
    const found = new Map<string, string>();
    if (asked.length > 0) {
      const { getInlineOfAncestors } = await loadQuery();
      for (const [channel, json] of await getInlineOfAncestors(call, key, asked)) found.set(channel, json);
    }
    for (const [channel, version] of versions) {
      const json = found.get(channel) ?? known.get(idOf(channel));
      if (json !== undefined) found.set(channel, json);
      if (typeof version === "string") known.set(idOf(channel), json);
    }
    return found;
  };
}
