import type { PoolClient, QueryConfig, QueryResult } from "pg";
import { NotReplicatedError, StatementTimeoutError } from "../../errors/index.js";
import { isBounded, isCanceled, runBounded, throwIfAborted } from "../statements/cancellation.js";
import { loadOnce } from "../async/load-once.js";
import { pause } from "../async/retry.js";
import { raceAgainst, withinTime } from "../async/within-time.js";
import type { OpenStream } from "./cancel-request.js";
import { type ConnectionFence, isLost } from "./connection-fence.js";
import { sendPipeline, PreparedStatements } from "./pipeline.js";
import { codeOf } from "../../errors/thrown.js";
import type { Query } from "./to-query.js";
import { isUnreplicated, isWorthRepeating, type Warning } from "../statements/synchronous-replication.js";
import type { RunContext } from "../statements/transaction-steps.js";

const loadCancelRequest = loadOnce(() => import("./cancel-request.js"));

/** How long a statement has to end before the server is asked again to cancel it, in milliseconds. */
const CANCEL_AGAIN_MS = 100;

/** How often a rollback is sent where it is cancelled, and how long the server has to answer it, in milliseconds. */
const MOST_ROLLBACKS = 3;
const ANSWERED_WITHIN_MS = 10_000;

/** The server refuses writes: it has been demoted, and only a new connection finds its successor. */
const READ_ONLY_STATE = "25006";

/**
 * Sends statements on one connection within the bounds of their call, and tracks whether the connection can
 * be used again.
 */
export class StatementSender {
  readonly #client: PoolClient;
  readonly #openStream: OpenStream;
  readonly #fence: ConnectionFence;
  readonly #prepared = new PreparedStatements();
  #isSpoiled = false;
  /** Whether the server has closed the connection of each cancel request that was sent. Until then it may arrive at any time. */
  readonly #cancels: Promise<boolean>[] = [];
  #isAbandoned = false;
  /** The server's last warning that a commit has not waited for a synchronous standby. */
  #unreplicated: Warning | undefined;

  /** @param openStream - The option `stream` of the pool. */
  constructor(client: PoolClient, fence: ConnectionFence, openStream: OpenStream | undefined) {
    this.#client = client;
    this.#fence = fence;
    this.#openStream = openStream;
    client.on("notice", (warning) => {
      if (isUnreplicated(warning)) this.#unreplicated = warning;
    });
  }

  /** Whether the connection must not be used again. */
  get isSpoiled(): boolean {
    return this.#isSpoiled;
  }

  /** Whether a statement was abandoned on it that the server may still execute. */
  get isAbandoned(): boolean {
    return this.#isAbandoned;
  }

  /** Discards the connection after its use. */
  spoil(): void {
    this.#isSpoiled = true;
  }

  /**
   * Makes the connection usable again after it was spoiled, where no other can take its place. It waits until no cancel request can reach
   * the next statement: the server has sent the signal before it closes the connection of a request, and takes it before it reads what
   * comes next.
   *
   * @returns Whether it can be used again.
   */
  async recover(): Promise<boolean> {
    if (this.#isAbandoned) return false;
    const closed = await Promise.all(this.#cancels.splice(0));
    if (closed.includes(false) || !(await this.#rollBack())) return false;
    this.#isSpoiled = false;
    return true;
  }

  /** Ends what may be open, also where a request has cancelled the first attempt. */
  async #rollBack(): Promise<boolean> {
    for (let attempt = 0; attempt < MOST_ROLLBACKS; attempt++) {
      try {
        await withinTime({ limitMs: ANSWERED_WITHIN_MS }, (signal) =>
          raceAgainst(signal, this.#client.query("rollback")),
        );
        return true;
      } catch (error) {
        if (!isCanceled(error)) return false;
      }
    }
    return false;
  }

  /** Sends a query of Kysely. */
  sendQuery<Row>(query: QueryConfig, context: RunContext): Promise<QueryResult<Row & object>> {
    return this.#bounded(() => this.#client.query<Row & object>(query), context);
  }

  /** Sends statements in one round trip, and returns the rows of each. */
  send<Row = unknown>(queries: readonly Query[], context: RunContext): Promise<Row[][]> {
    return this.#bounded(() => sendPipeline<Row>(this.#client, queries, this.#prepared), context);
  }

  async #bounded<T>(run: () => Promise<T>, context: RunContext): Promise<T> {
    // An earlier statement of the same call has ended just when it was to be cancelled.
    if (this.#cancels.length > 0) {
      throwIfAborted(context.signal);
      throw new StatementTimeoutError(context.statementTimeoutMs ?? 0);
    }
    const cancel = (giveUp: AbortSignal): Promise<void> => this.#cancel(giveUp);
    this.#unreplicated = undefined;
    let answer: T;
    try {
      answer = await (isBounded(context)
        ? runBounded({ run: () => this.#fence.watch(run), cancel }, context)
        : this.#fence.watch(run));
    } catch (error) {
      if (this.#fence.abandon()) {
        this.#isSpoiled = true;
        this.#isAbandoned = true;
      }
      // The server ends a connection after its last error. Until the end arrives, the pool would give it to the next caller.
      if (isLost(error) || codeOf(error) === READ_ONLY_STATE) this.#isSpoiled = true;
      // Where the server has ended the connection, the warning is all that it sent.
      throw this.#unreplicatedError() ?? error;
    }
    // Where the wait for a standby was cancelled, the server reports success and sends a warning.
    const failure = this.#unreplicatedError();
    if (failure !== undefined) throw failure;
    return answer;
  }

  #unreplicatedError(): NotReplicatedError | undefined {
    const warning = this.#unreplicated;
    if (warning === undefined) return undefined;
    return new NotReplicatedError({
      cause: warning,
      sqlState: warning.code,
      transient: isWorthRepeating(warning),
    });
  }

  /**
   * Asks until the statement has ended. A pooler drops the request while the statement still waits for a
   * server connection, and would send the statement afterwards.
   */
  async #cancel(giveUp: AbortSignal): Promise<void> {
    const { requestCancel } = await loadCancelRequest();
    const onSending = (closed: Promise<boolean>): void => {
      this.#cancels.push(closed);
      // The request may arrive late and would then cancel the connection's next statement: there must be
      // none.
      this.#isSpoiled = true;
    };
    while (!giveUp.aborted) {
      await requestCancel(this.#client, this.#openStream, giveUp, onSending);
      await pause(CANCEL_AGAIN_MS, { signals: [giveUp] });
    }
  }
}
