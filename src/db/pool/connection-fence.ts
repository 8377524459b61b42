import type { PoolClient, QueryResult } from "pg";
import { ConnectionError } from "../../errors/index.js";
import { type Backend, type BackendFences, currentBackend } from "./backend-fences.js";
import { abortErrorOf, isCanceled } from "../statements/bounded-run.js";
import { raceAgainst } from "../async/race-against.js";
import type { RunContext } from "../statements/run-context.js";
import { ServerClock } from "../statements/server-clock.js";
import type { BoundStatement } from "../statements/statement.js";
import { type ClockRow, refuseAfter } from "../statements/statement-deadline.js";
import { toDatabaseError } from "../to-database-error.js";
import { withinTime } from "../async/within-time.js";

/**
 * Sees to it for one connection of a pool that no statement is carried out after its caller has given it up: whoever throws the
 * connection away without an answer has its server process ended, by way of {@link BackendFences}.
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

  /** Whether {@link settle} is to be called before anything is sent on the connection. */
  isUnsettled({ statementTimeoutMs }: RunContext): boolean {
    const needsClock = statementTimeoutMs !== undefined && this.#clock.isUnread;
    return this.#backend === undefined || this.#fences.areDue || needsClock;
  }

  /**
   * Finds out the server process of the connection, and ends those that other connections have left behind.
   *
   * @throws AbortError when the signal of the call has been aborted.
   * @throws ConnectionError, a transient one, when the server does not answer in time.
   */
  async settle({ signal, statementTimeoutMs }: RunContext): Promise<void> {
    await withinTime({ signal, limitMs: statementTimeoutMs }, async (giveUp) => {
      try {
        if (this.#backend === undefined || this.#clock.isUnread)
          this.#backend = await this.#readBackend(giveUp);
        if (this.#fences.areDue) await this.#endOthers(giveUp);
      } catch (error) {
        if (signal?.aborted === true) throw abortErrorOf(signal, error);
        if (!giveUp.aborted) throw error;
        throw new ConnectionError("the server did not answer on a connection that was about to be used", {
          cause: error,
        });
      }
    });
  }

  /**
   * What is sent after a write, in its transaction, so that it is not carried out when its caller has given it up: also where nothing
   * else reaches the server meanwhile. Nothing where nobody says how long the caller waits.
   */
  deadline({ statementTimeoutMs }: RunContext): BoundStatement<ClockRow>[] {
    if (statementTimeoutMs === undefined) return [];
    const deadlineMs = this.#clock.in(statementTimeoutMs);
    return deadlineMs === undefined ? [] : [refuseAfter(deadlineMs)];
  }

  /** Takes in what a deadline has answered that was kept. */
  keptDeadline([row]: readonly object[]): void {
    this.#clock.read(row !== undefined && "clock" in row ? String(row.clock) : undefined);
  }

  /** Runs statements on the connection, and notes whether the server has answered them. */
  watch<T>(run: () => Promise<T>): Promise<T> {
    this.#awaitsAnswer = true;
    return run().then(
      (result) => {
        this.#awaitsAnswer = false;
        return result;
      },
      (error: unknown) => {
        this.#awaitsAnswer = isUnanswered(error);
        throw error;
      },
    );
  }

  /**
   * To be called when nobody waits any more for statements that {@link watch} runs: has the server process ended where they have
   * no answer.
   *
   * @returns Whether that is so. The connection must not be used again then.
   */
  abandon(): boolean {
    if (!this.#awaitsAnswer) return false;
    if (this.#backend !== undefined && this.#backend !== null) this.#fences.add(this.#backend);
    return true;
  }

  async #readBackend(giveUp: AbortSignal): Promise<Backend | null> {
    try {
      const [row] = await this.#send(currentBackend(), giveUp);
      // A pooler has numbers of its own for its connections.
      this.#clock.read(row?.clock);
      const processId = Number(row?.pid);
      const startedAt = row?.started_at ?? undefined;
      if (startedAt === undefined || processId !== Reflect.get(this.#client, "processID")) return null;
      return { processId, startedAt };
    } catch (error) {
      if (giveUp.aborted || isLost(error)) throw error;
      this.#clock.read(undefined);
      return null;
    }
  }

  async #endOthers(giveUp: AbortSignal): Promise<void> {
    let haveEnded: boolean;
    try {
      haveEnded = await this.#fences.end((statement) => this.#send(statement, giveUp));
    } catch (error) {
      if (giveUp.aborted || isLost(error) || isCanceled(error)) throw error;
      // The role may not end its own processes: to ask again would fail as well.
      this.#fences.clear();
      return;
    }
    if (!haveEnded)
      throw new ConnectionError("the server has not ended the process of an earlier statement yet");
  }

  async #send<Row extends object>(
    { sql, parameters }: BoundStatement<Row>,
    giveUp: AbortSignal,
  ): Promise<Row[]> {
    const sent: Promise<QueryResult<Row>> = this.#client.query<Row>(sql, [...parameters]);
    return (await raceAgainst(giveUp, sent)).rows;
  }
}

/** Whether a statement that failed like this may still be carried out: an answer of the server says that it is not. */
function isUnanswered(error: unknown): boolean {
  const failure = toDatabaseError(error);
  return failure instanceof ConnectionError && failure.sqlState === undefined;
}

/** Whether a statement failed since its connection was lost: another connection may carry it out. */
function isLost(error: unknown): boolean {
  return toDatabaseError(error) instanceof ConnectionError;
}
