import { noop } from "../async/noop.js";
import type { CallContext } from "../call-context.js";
import { runTransaction } from "./run-statement.js";
import type { BoundStatement } from "./statement.js";

/** Deletes a bounded number of rows in one transaction, and returns something for each. */
export type DeleteSome = () => Promise<readonly unknown[]>;

/** Returns a transaction of one statement, which returns a row for each row that it deletes. */
export function deleteBy(call: CallContext, statement: BoundStatement<unknown>): DeleteSome {
  return async () => {
    const [rows = []] = await runTransaction(call, { statements: [statement] });
    return rows;
  };
}

/**
 * Deletes a bounded number of rows until none are left, so that no transaction holds its locks for long.
 *
 * @param limit - The most rows that one call of `deleteSome` deletes.
 * @param onDeleted - Called with the number of rows after each transaction.
 * @returns The number of deleted rows.
 */
export async function deleteInBatches(
  deleteSome: DeleteSome,
  limit: number,
  onDeleted: (rows: number) => void = noop,
): Promise<number> {
  let deleted = 0;
  for (;;) {
    const { length } = await deleteSome();
    deleted += length;
    onDeleted(length);
    if (length < limit) return deleted;
  }
}
