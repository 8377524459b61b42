import { sql } from "kysely";
import { ConnectionError, StatementTimeoutError } from "../../errors/index.js";
import { codeOf } from "../../errors/thrown.js";
import { type BoundStatement, Statement } from "../statements/statement.js";

/**
 * The SQLSTATE with which the check refuses a transaction. No other statement of this library reads a setting
 * that may be missing.
 */
const REFUSED_STATE = "42704";

/** The server's clock, in seconds since 1970. */
export interface ClockRow {
  readonly clock: string;
}

/**
 * Fails a transaction that the server executes after its caller has given up. Sent as the last statement, it
 * runs after the statements before it have got all of their locks.
 *
 * @param deadlineMs - By the server's clock, in milliseconds since 1970.
 */
export function refuseAfter(deadlineMs: number): BoundStatement<ClockRow> {
  return refuse.bind("", { deadline: deadlineMs / 1000 });
}

/** Whether {@link refuseAfter} has refused the transaction. */
export function isRefusedAsLate(error: unknown): boolean {
  return codeOf(error) === REFUSED_STATE;
}

/** The server's clock, as text: the pool may have its own parsers for other types. */
export function clockText() {
  return sql<string>`extract(epoch from clock_timestamp())::text`;
}

/**
 * The error of a write that the server refused as too late.
 *
 * @param isEarly - Whether most of the time limit was left for this process, which may have been frozen.
 */
export function lateError(cause: unknown, isEarly: boolean, statementTimeoutMs: number): Error {
  if (!isEarly) return new StatementTimeoutError(statementTimeoutMs, { cause });
  const problem =
    "the server's clock has been set since it was read, or this process was frozen while it sent the write";
  return new ConnectionError(problem, { cause });
}

// SQL has no function that only throws. The server's log quotes the name of the setting.
const refuse = new Statement<{ readonly deadline: number }, ClockRow>((db, parameter) =>
  db.selectNoFrom(
    sql<string>`case when clock_timestamp() <= to_timestamp(${parameter("deadline")}::float8) then ${clockText()}
      else current_setting('langgraph.statement_came_too_late') end`.as("clock"),
  ),
);

/** How long a reading is used, in milliseconds. Afterwards the two clocks may have drifted too far apart. */
const READ_AGAIN_MS = 10 * 60 * 1000;

/**
 * How long after the server has read its clock the answer may be read, in milliseconds: the estimate is behind by as much. The process may
 * have been frozen or busy meanwhile.
 */
export const LONGEST_READING_MS = 1_000;

/** The clock of the server, as read on a connection. The estimate is never ahead of the server's clock. */
export class ServerClock {
  #serverMs: number | undefined;
  #readAt = -Infinity;

  /** Whether the clock must be read before use. */
  get isUnread(): boolean {
    return performance.now() - this.#readAt > READ_AGAIN_MS;
  }

  /**
   * Stores the server's time, unless reading it has taken too long. Call it as soon as the answer has arrived: the server's clock is ahead
   * of it by then.
   *
   * @param seconds - Since 1970, as text.
   * @param askedAt - On the clock of `performance.now()`.
   */
  read(seconds: string | undefined, askedAt: number): void {
    if (performance.now() - askedAt > LONGEST_READING_MS) return;
    this.#serverMs = Number(seconds) * 1000;
    this.#readAt = performance.now();
  }

  /**
   * The time on the server's clock in `ms` milliseconds, or slightly later; `undefined` where it can't be
   * known.
   */
  in(ms: number): number | undefined {
    if (this.#serverMs === undefined || Number.isNaN(this.#serverMs)) return undefined;
    return this.#serverMs + performance.now() - this.#readAt + ms;
  }
}
