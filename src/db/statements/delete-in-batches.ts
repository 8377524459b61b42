import type { CallContext } from "../call-context.js";
import { runTransaction } from "./run-statement.js";
import type { BoundStatement } from "./statement.js";

/**
 * Runs a statement that deletes a bounded number of rows until none are left, so that no transaction holds its locks for long.
 *
 * @param statement - Returns a row for each row that it deletes.
 * @param limit - The most rows that one run of the statement deletes.
 * @returns The number of deleted rows.
 */
export async function deleteInBatches(
  call: CallContext,
  statement: BoundStatement<unknown>,
  limit: number,
): Promise<number> {
  let deleted = 0;
  for (;;) {
    const [rows = []] = await runTransaction(call, { statements: [statement] });
    deleted += rows.length;
    if (rows.length < limit) return deleted;
  }
}
