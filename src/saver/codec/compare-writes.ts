import { compareText } from "../model/compare-text.js";

/** What LangGraph orders the writes of a checkpoint by. */
export interface WriteOrder {
  readonly taskPath: string;
  readonly taskId: string;
  readonly idx: number;
}

/**
 * Compares two writes of one checkpoint: by task path, task and position, texts by code point. LangGraph applies the
 * writes of a super-step in this order, so whoever replays them must go by it too. Writes without a task path come
 * first: inputs, and all that an engine older than LangGraph.js 1.5 stored, which applies them by task alone.
 */
export function compareWrites(a: WriteOrder, b: WriteOrder): number {
  return compareText(a.taskPath, b.taskPath) || compareText(a.taskId, b.taskId) || a.idx - b.idx;
}
