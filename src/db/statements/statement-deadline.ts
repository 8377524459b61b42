import { sql } from "kysely";
import { ConnectionError, StatementTimeoutError } from "../../errors/index.js";
import { codeOf } from "../../errors/error-code.js";
import type { RunContext } from "./run-context.js";
import { type BoundStatement, Statement } from "./statement.js";

/** What the check refuses a transaction with. No other statement of ours reads a setting that may be missing. */
const REFUSED_STATE = "42704";

/** What the server says of its clock, in seconds since 1970. */
export interface ClockRow {
  readonly clock: string;
}

/**
 * Ends a transaction that comes later than its caller waits for it. Sent last, it is carried out when the statements before it have
 * got all of their locks.
 *
 * @param deadlineMs - By the server's clock, in milliseconds since 1970.
 */
export function refuseAfter(deadlineMs: number): BoundStatement<ClockRow> {
  return refuse.bind("", { deadline: deadlineMs / 1000 });
}

/** Whether {@link refuseAfter} has refused a transaction. */
export function isRefusedAsLate(error: unknown): boolean {
  return codeOf(error) === REFUSED_STATE;
}

/** The server's clock, as text: the pool may have parsers of its own for other types. */
export function clockText() {
  return sql<string>`extract(epoch from clock_timestamp())::text`;
}

/** What a write is rejected with that the server has refused as too late. */
export function lateError(cause: unknown, elapsedMs: number, { statementTimeoutMs = 0 }: RunContext): Error {
  // The server's clock counts from when it was read, which is somewhat earlier than the timer of this process.
  if (elapsedMs * 2 >= statementTimeoutMs) return new StatementTimeoutError(statementTimeoutMs, { cause });
  return new ConnectionError("the server's clock has been set since it was read", { cause });
}

// There is no function that only throws. The name of the setting is what the server's log says.
const refuse = /* @__PURE__ */ new Statement<{ readonly deadline: number }, ClockRow>((db, parameter) =>
  db.selectNoFrom(
    sql<string>`case when clock_timestamp() <= to_timestamp(${parameter("deadline")}::float8) then ${clockText()}
      else current_setting('langgraph.statement_came_too_late') end`.as("clock"),
  ),
);
