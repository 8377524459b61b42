import type { RecordScope } from "../../model/stored-record.js";

const COLUMNS = { execution: "execution_id", thread: "thread_id" } as const;

/** Returns the column that has the id of a scope. */
export function scopeColumn(by: RecordScope["by"]): (typeof COLUMNS)[RecordScope["by"]] {
  return COLUMNS[by];
}
