import type { PoolClient, QueryResult } from "pg";
import { ConnectionError } from "../../errors/index.js";
import { type Backend, type BackendFences, type BackendRow, currentBackend } from "./backend-fences.js";
import { abortErrorOf, isCanceled } from "../statements/cancellation.js";
import { raceAgainst, withinTime } from "../async/within-time.js";
import { resultTypes } from "../result-types.js";
import type { RunContext } from "../statements/transaction-steps.js";
import { LONGEST_READING_MS, ServerClock, type ClockRow, refuseAfter } from "./statement-deadline.js";
import type { BoundStatement } from "../statements/statement.js";
import { toDatabaseError } from "../to-database-error.js";
import { type Query, toQuery } from "./to-query.js";

/** How often the server's clock is read again where reading it has taken too long. */
const MOST_READS = 3;

/**
 * Makes sure that a statement is not executed after its caller has given up. When a connection is discarded
 * before it answered, {@link BackendFences} ends its server process.
 */
export class ConnectionFence {
  readonly #client: PoolClient;
  readonly #fences: BackendFences;
  /** The server process of the connection; `null` where it can't be known, as behind a pooler. */
  #backend: Backend | null | undefined;
  readonly #clock = new ServerClock();
  #awaitsAnswer = false;

  constructor(client: PoolClient, fences: BackendFences) {
    this.#client = client;
    this.#fences = fences;
  }

  /** Whether {@link settle} must be called before anything is sent on the connection. */
  isUnsettled({ statementTimeoutMs }: RunContext): boolean {
    const needsClock = statementTimeoutMs !== undefined && this.#clock.isUnread;
    return this.#backend === undefined || this.#fences.areDue || needsClock;
  }

  /**
   * Whether a read may be sent before {@link settle}, together with {@link identify}: one that is executed after its caller has given up
   * changes nothing.
   */
  get isUnidentified(): boolean {
    return this.#backend === undefined && !this.#fences.areDue;
  }

  /** The query that reads the server process of the connection, to be sent together with others. */
  identify(): Query {
    const askedAt = performance.now();
    return {
      ...toQuery(currentBackend()),
      onRows: ([row]) => {
        this.#backend = this.#identified(row as BackendRow | undefined, askedAt);
      },
    };
  }

  /**
   * Reads the server process of the connection, and ends the processes that abandoned connections have left
   * behind.
   *
   * @throws AbortError when the signal of the call has been aborted.
   * @throws ConnectionError, a transient one, when the server does not answer in time.
   */
  async settle({ signal, statementTimeoutMs }: RunContext): Promise<void> {
    await withinTime({ signal, limitMs: statementTimeoutMs }, async (giveUp) => {
      try {
        for (let reads = 0; reads < MOST_READS && this.#isUnread; reads++)
          this.#backend = await this.#readBackend(giveUp);
        if (this.#fences.areDue) await this.#endOthers(giveUp);
      } catch (error) {
        if (signal?.aborted === true) throw abortErrorOf(signal, error);
        if (!giveUp.aborted) throw error;
        throw new ConnectionError("the server did not answer before the first statement on the connection", {
          cause: error,
        });
      }
    });
  }

  /**
   * The statement to send after a write, in its transaction: the server then refuses the transaction once the
   * caller has given up, even if nothing else reaches the server. Empty where the call has no timeout.
   *
   * The caller gives up later than its timeout, after the grace of a cancel request: until then it still reads that the write is stored.
   * So the server may have longer too, since its clock was perhaps read late, or the statement is sent late.
   */
  deadline({ statementTimeoutMs }: RunContext): BoundStatement<ClockRow>[] {
    if (statementTimeoutMs === undefined) return [];
    const deadlineMs = this.#clock.in(statementTimeoutMs + LONGEST_READING_MS);
    return deadlineMs === undefined ? [] : [refuseAfter(deadlineMs)];
  }

  /**
   * Whether a {@link deadline} refuses a write only in a transaction that BEGIN has opened. Without it, Citus lets the node of a
   * thread commit each statement, although this server executes all statements that arrive together in one transaction.
   */
  get needsBegin(): boolean {
    return this.#fences.hasCitus === true;
  }

  /** Reads the server's clock from the answer to a {@link deadline} statement that was sent at `askedAt` and has passed. */
  passedDeadline([row]: readonly unknown[], askedAt: number): void {
    const isClock = typeof row === "object" && row !== null && "clock" in row;
    this.#clock.read(isClock ? String(row.clock) : undefined, askedAt);
  }

  /** Runs statements on the connection, and records whether the server has answered them. */
  async watch<T>(run: () => Promise<T>): Promise<T> {
    this.#awaitsAnswer = true;
    try {
      const result = await run();
      this.#awaitsAnswer = false;
      return result;
    } catch (error) {
      this.#awaitsAnswer = isUnanswered(error);
      throw error;
    }
  }

  /**
   * Call this when the caller no longer waits for statements that {@link watch} runs. If the server has not
   * answered them, its process will be ended.
   *
   * @returns Whether the server has not answered. The connection must not be used again then.
   */
  abandon(): boolean {
    if (!this.#awaitsAnswer) return false;
    if (this.#backend !== undefined && this.#backend !== null) this.#fences.add(this.#backend);
    return true;
  }

  get #isUnread(): boolean {
    return this.#backend === undefined || this.#clock.isUnread;
  }

  async #readBackend(giveUp: AbortSignal): Promise<Backend | null> {
    const askedAt = performance.now();
    try {
      const [row] = await this.#send(currentBackend(), giveUp);
      return this.#identified(row, askedAt);
    } catch (error) {
      if (giveUp.aborted || isLost(error)) throw error;
      this.#clock.read(undefined, askedAt);
      return null;
    }
  }

  #identified(row: BackendRow | undefined, askedAt: number): Backend | null {
    this.#clock.read(row?.clock, askedAt);
    if (row !== undefined) this.#fences.hasCitus = typeof row.citus === "string";
    // A pooler makes up the process ids that it reports.
    const processId = Number(row?.pid);
    const startedAt = row?.started_at ?? undefined;
    if (startedAt === undefined || processId !== Reflect.get(this.#client, "processID")) return null;
    return { processId, startedAt };
  }

  async #endOthers(giveUp: AbortSignal): Promise<void> {
    let haveEnded: boolean;
    try {
      haveEnded = await this.#fences.end((statement) => this.#send(statement, giveUp));
    } catch (error) {
      if (giveUp.aborted || isLost(error) || isCanceled(error)) throw error;
      // The role may not end its own processes: another attempt would fail too.
      this.#fences.clear();
      return;
    }
    if (!haveEnded)
      throw new ConnectionError("the server has not yet ended the process of an abandoned statement");
  }

  async #send<Row extends object>(
    { sql, parameters }: BoundStatement<Row>,
    giveUp: AbortSignal,
  ): Promise<Row[]> {
    const query = { text: sql, values: [...parameters], types: resultTypes(this.#client) };
    const sent: Promise<QueryResult<Row>> = this.#client.query<Row>(query);
    return (await raceAgainst(giveUp, sent)).rows;
  }
}

/**
 * Whether the server may still execute a statement that failed with this error. If the server sent the error,
 * it does not.
 */
function isUnanswered(error: unknown): boolean {
  const failure = toDatabaseError(error);
  return failure instanceof ConnectionError && failure.sqlState === undefined;
}

/** Whether a statement failed because its connection was lost: a retry on another connection may succeed. */
export function isLost(error: unknown): boolean {
  return toDatabaseError(error) instanceof ConnectionError;
}
