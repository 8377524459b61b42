import { type Damage, describePlace } from "../errors/index.js";
import type { DifferingRow } from "../saver/queries/restored-rows.js";
import { BackupError } from "./backup-error.js";

const REASON = "is already stored with different content: an import overwrites nothing";

/** Rows of a portion are stored with different content. The error names the first one, and rolls the transaction back. */
export class DifferingRows extends BackupError {
  readonly rows: readonly DifferingRow[];

  constructor(first: DifferingRow, rows: readonly DifferingRow[]) {
    const { reason, version: _, ...place } = damageOfRow(first);
    super(`${describePlace(place)} ${reason}`, place);
    this.rows = rows;
  }
}

/** Names a stored row that differs. */
export function damageOfRow(row: DifferingRow): Damage {
  const { checkpoint_id: checkpointId, channel, version } = row;
  return {
    ...{ threadId: row.thread_id, checkpointNs: row.checkpoint_ns },
    ...(checkpointId !== null && { checkpointId }),
    ...(channel !== null && { channel }),
    ...(version !== null && { version }),
    reason: REASON,
  };
}

/** Names the first differing row of each thread. */
export function damagePerThread(rows: readonly DifferingRow[]): Damage[] {
  const threads = new Map<string, DifferingRow>();
  for (const row of rows) if (!threads.has(row.thread_id)) threads.set(row.thread_id, row);
  return [...threads.values()].map(damageOfRow);
}
