import { noop } from "../async/noop.js";
import type { CallContext } from "../call-context.js";
import { runTransaction } from "./run-statement.js";
import type { BoundStatement } from "./statement.js";

/**
 * Runs a statement that deletes a bounded number of rows until none are left, so that no transaction holds its locks for long.
 *
 * @param statement - Returns a row for each row that it deletes.
 * @param limit - The most rows that one run of the statement deletes.
 * @param onDeleted - Called with the number of rows after each transaction.
 * @returns The number of deleted rows.
 */
export async function deleteInBatches(
  call: CallContext,
  statement: BoundStatement<unknown>,
  limit: number,
  onDeleted: (rows: number) => void = noop,
): Promise<number> {
  let deleted = 0;
  for (;;) {
    const [rows = []] = await runTransaction(call, { statements: [statement] });
    deleted += rows.length;
    onDeleted(rows.length);
    if (rows.length < limit) return deleted;
  }
}
