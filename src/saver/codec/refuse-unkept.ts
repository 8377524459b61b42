import { aheadBy, type ClockRule } from "../clock/clock-rule.js";
import { timeInId } from "../model/checkpoint-time.js";
import { groupBy } from "../../db/group-by.js";
import { rowKey } from "../model/row-key.js";
import type { EncodedCheckpoint } from "../queries/encoded-checkpoint.js";
import type { StoredCheckpoint } from "../queries/remove-older.js";

/** How a saver that keeps the newest checkpoints checks new ones. */
export interface KeepingRule {
  readonly keepLast: number;
  readonly clock: ClockRule;
}

/**
 * Refuses a checkpoint that would be deleted at once because newer ones are kept, where this machine's clock has not passed the newest of
 * them (C17). An older checkpoint that an application moves, or that of a run which was slower than another one, is not refused.
 *
 * @param stored - The checkpoints that are stored.
 * @throws ClockBehindError unless the saver only warns.
 */
export function refuseUnkept(
  checkpoints: readonly EncodedCheckpoint[],
  stored: readonly StoredCheckpoint[],
  { keepLast, clock }: KeepingRule,
): void {
  const byNamespace = groupBy(stored, (row) => rowKey(row.thread_id, row.checkpoint_ns));
  for (const { threadId, checkpointNs, checkpointId } of checkpoints) {
    const ids = (byNamespace.get(rowKey(threadId, checkpointNs)) ?? []).map((row) => row.checkpoint_id);
    const newer = ids.filter((id) => id > checkpointId);
    if (newer.length < keepLast || ids.includes(checkpointId) || timeInId(checkpointId) === undefined)
      continue;
    const newest = newer.reduce((a, b) => (a > b ? a : b));
    const behindMs = (timeInId(newest)?.getTime() ?? -Infinity) - Date.now();
    if (behindMs <= 0) continue;
    clock.refuse(
      { threadId, checkpointNs, checkpointId },
      behindMs,
      `checkpoint "${checkpointId}" would be deleted at once, since "${newest}" is ${aheadBy(behindMs)}`,
    );
  }
}
