import { DatabaseError } from "../errors/index.js";

/** The SQLSTATEs of what the server can't read: a lost part of a long value, a damaged page, a damaged index. */
const LOST = new Set(["XX000", "XX001", "XX002"]);

/** The SQLSTATEs of a row that a table does not take: a column is NULL there that may not be, or a constraint is not met. */
const REFUSED = new Set(["23502", "23514"]);

/** Whether the server can't read a stored row. Others may be readable. */
export function isLost(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && LOST.has(error.sqlState ?? "");
}

/** Whether an error is about single rows that were to be stored, or about stored ones that they were compared with. */
export function isOfRows(error: unknown): error is DatabaseError {
  return isLost(error) || (error instanceof DatabaseError && REFUSED.has(error.sqlState ?? ""));
}
