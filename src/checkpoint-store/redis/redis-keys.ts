import type { RecordScope } from "../model/stored-record.js";

/** The key of a record, as today's langgraphgo names it. */
export function recordKey(prefix: string, id: string): string {
  return `${prefix}checkpoint:${id}`;
}

/** The key of a sorted set of ids, scored by their versions, as today's langgraphgo names it. */
export function indexKey(prefix: string, { by, id }: RecordScope): string {
  return `${prefix}${by}:${id}:checkpoints`;
}
