import type { RunnableConfig } from "@langchain/core/runnables";
import { runTransaction } from "../db/statements/run-statement.js";
import { statementBytesOf } from "../db/call-context.js";
import { type SaverCall, writingThreads } from "../saver/call/saver-call.js";
import { sizeOfWrites } from "../saver/codec/call-size.js";
import { type CallEncoding, encodePutWrites, parsePutWrites } from "../saver/codec/encode-call.js";
import { compareText } from "../saver/model/keys.js";
import { portionsOf } from "../saver/model/portions.js";
import type { EncodedWrites } from "../saver/queries/put-pending-writes.js";
import { updateWrites } from "../saver/queries/restore-writes.js";
import type { RestoredWrite } from "../saver/queries/restored-rows.js";
import { tombstoneGuard } from "../saver/storing/write-guard.js";
import type { PlacedTask } from "./between-savers/copy-writes.js";

/** Stores copied writes of a checkpoint in one transaction, and replaces those that are stored and differ. */
export async function replaceWrites(
  base: SaverCall,
  encoding: CallEncoding,
  config: RunnableConfig,
  tasks: readonly PlacedTask[],
): Promise<void> {
  const requests = tasks.flatMap(({ taskId, taskPath, special, regular }) =>
    [special, regular].map((writes) => parsePutWrites(config, writes, taskId, taskPath)),
  );
  const [first] = requests;
  if (first === undefined) return;
  const call = writingThreads(base, () => [first.threadId]);
  call.progress?.about(first);
  const encoded = await Promise.all(requests.map((request) => encodePutWrites(encoding, request)));
  call.observer?.addBytes(encoded.reduce((sum, writes) => sum + sizeOfWrites(writes).bytes, 0));
  const most = { rows: Infinity, size: statementBytesOf(call) };
  const portions = portionsOf(rowsOf(encoded), ({ blob }) => blob.byteLength, most);
  await runTransaction(call, {
    guard: tombstoneGuard(call, [first.threadId]),
    statements: [...portions].map((rows) => updateWrites.insert(call.schema, rows)),
  });
}

/** The rows in the order of their keys, in which every writer locks them (C2). */
function rowsOf(encoded: readonly EncodedWrites[]): readonly (RestoredWrite & { blob: Uint8Array })[] {
  return encoded
    .flatMap(({ threadId, checkpointNs, checkpointId, taskId, taskPath, writes }) =>
      writes.map((write) => ({
        ...{ thread_id: threadId, checkpoint_ns: checkpointNs, checkpoint_id: checkpointId },
        ...{ task_id: taskId, task_path: taskPath, ...write },
      })),
    )
    .sort((a, b) => compareText(a.task_id, b.task_id) || a.idx - b.idx);
}
