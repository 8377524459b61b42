import { timeInId } from "../../saver/model/checkpoint-time.js";
import type { HistoryPoint } from "../api/threads.js";
import type { CallRun } from "../calls/call-definition.js";
import { cutText } from "../values/cut-text.js";
import type { PointRow } from "../queries/get-history-points.js";
import { readHandoffs } from "./handoffs.js";

const MAX_USER = 200;

/** Converts rows of the history of a thread. A handoff to the parent graph, which is stored as an error, is no failure. */
export async function pointsOf(
  run: Pick<CallRun, "call" | "context">,
  threadId: string,
  rows: readonly PointRow[],
): Promise<HistoryPoint[]> {
  const places = rows.map((row) => ({
    ...{ threadId, namespace: row.checkpoint_ns, checkpointId: row.checkpoint_id },
    row,
  }));
  const handoffs = await readHandoffs(
    run,
    places.filter(({ row }) => row.failed),
  );
  return places.map((place) => {
    const { taskIds, others = 1 } = handoffs.get(place) ?? {};
    const hasHandedOver = taskIds !== undefined && taskIds.size > 0 && others === 0;
    return pointOf(hasHandedOver ? { ...place.row, failed: false } : place.row);
  });
}

/** Converts a row of a history, as it is stored. */
export function pointOf(row: PointRow): HistoryPoint {
  const { checkpoint_id: checkpointId, parent_checkpoint_id: parentId, step, source, run_id: runId } = row;
  const { answered_by: answeredBy } = row;
  return {
    checkpointId,
    ...(parentId !== null && { parentId }),
    createdAt: storedTimeOf(checkpointId, row.ts),
    ...stepAndSource({ step, source }),
    ...(runId !== null && { runId }),
    ...(answeredBy !== null && { answeredBy: cutText(answeredBy, MAX_USER).text }),
    writes: row.writes,
    interrupted: row.interrupted,
    failed: row.failed,
  };
}

/** The time of a checkpoint in milliseconds since 1970. A damaged one, which has none, must not hide the others. */
export function storedTimeOf(checkpointId: string, ts: string | null): number {
  const time = (timeInId(checkpointId) ?? new Date(ts ?? "")).getTime();
  return Number.isNaN(time) ? 0 : time;
}

/** The parts of the metadata that lists show. */
export function stepAndSource({ step, source }: Pick<PointRow, "step" | "source">) {
  return {
    ...(step !== null && /^-?\d{1,15}$/.test(step) && { step: Number(step) }),
    ...(source !== null && { source }),
  };
}
