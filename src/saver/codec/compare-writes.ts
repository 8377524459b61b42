import { compareText } from "../model/compare-text.js";

/** The columns that decide the order of the writes of a checkpoint. */
export interface WriteOrder {
  readonly taskPath: string;
  readonly taskId: string;
  readonly idx: number;
}

/**
 * Compares two writes of one checkpoint by task path, task and position; text by code point. LangGraph applies the
 * writes of a super-step in this order, so a replay must use it too. Writes without a task path come
 * first: inputs, and all writes of LangGraph.js before 1.5, which orders them by task alone.
 */
export function compareWrites(a: WriteOrder, b: WriteOrder): number {
  return compareText(a.taskPath, b.taskPath) || compareText(a.taskId, b.taskId) || a.idx - b.idx;
}
