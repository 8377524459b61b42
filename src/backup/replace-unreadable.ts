import { throwIfAborted } from "../db/statements/cancellation.js";
import { runTransaction } from "../db/statements/run-statement.js";
import type { DifferingRow } from "../saver/queries/restored-rows.js";
import type { RestoredTable } from "./restored-tables.js";
import type { StoredReader } from "./unreadable-rows.js";

/** What became of stored rows that differ. */
interface ReplacedRows {
  readonly replaced: number;
  /** Those that can be read, or of which it is not known. */
  readonly kept: readonly DifferingRow[];
}

/**
 * Replaces the stored rows that differ and can't be read. Call it in the transaction that has locked them.
 *
 * @param rows - The rows of the backup.
 * @param differing - The stored ones that differ.
 */
export async function replaceUnreadable<Row extends object>(
  reader: StoredReader,
  table: RestoredTable<Row>,
  rows: readonly Row[],
  differing: readonly DifferingRow[],
): Promise<ReplacedRows> {
  const { call } = reader;
  const byKey = new Map(rows.map((row) => [table.keyOf(row), row]));
  let kept = differing;
  let replaced = 0;
  for (;;) {
    const unreadable: Row[] = [];
    const others: DifferingRow[] = [];
    for (const stored of kept) {
      throwIfAborted(call.signal);
      const row = byKey.get(table.keyOfStored(stored));
      if (row !== undefined && (await table.isUnreadable(reader, row))) unreadable.push(row);
      else others.push(stored);
    }
    kept = others;
    if (unreadable.length === 0) return { replaced, kept };
    await runTransaction(call, { statements: [table.replacing.insert(call.schema, unreadable)] });
    replaced += unreadable.length;
    // A splice of the backup can be read once the value that it is made of was replaced.
  }
}
