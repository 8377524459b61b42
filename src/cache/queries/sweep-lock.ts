import { tryTransactionLock } from "../../db/locks/try-transaction-lock.js";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";

/** The name of the lock that one process at a time holds while it deletes expired and excess entries of a schema. */
export function sweepLockName(schema: string): string {
  return `langgraph-checkpoint-kysely cache ${schema}`;
}

/** Takes the sweep lock until the end of the transaction, unless another process holds it. */
export function takeSweepLock(schema: string): BoundStatement<{ readonly is_alone: boolean }> {
  return statement.bind(schema, { lock: sweepLockName(schema) });
}

const statement = /* @__PURE__ */ new Statement<{ readonly lock: string }, { readonly is_alone: boolean }>(
  (db, parameter) => db.selectNoFrom(tryTransactionLock(parameter("lock")).as("is_alone")),
);
