import { type Expression, sql, type SqlBool } from "kysely";

/**
 * Compares the thread id of a row twice: as equal, and as between the same bounds. Without statistics Postgres expects a two hundredth
 * of the table for each comparison, so 25 rows of a million and not 5,000. Looked up for each thread of a list, thousands would seem to
 * take so long that Postgres compiles the statement. The index serves both.
 *
 * @param column - The column of the row.
 * @param threadId - The thread, which Postgres does not know when it plans the statement.
 */
export function isOneThread(column: Expression<string>, threadId: Expression<string>) {
  return sql<SqlBool>`(${column} = ${threadId} and ${column} between ${threadId} and ${threadId})`;
}
