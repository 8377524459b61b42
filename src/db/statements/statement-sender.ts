import { setTimeout } from "node:timers/promises";
import type { PoolClient, QueryConfig, QueryResult } from "pg";
import { ConnectionError, NotReplicatedError } from "../../errors/index.js";
import { runBounded, throwIfAborted } from "./bounded-run.js";
import { type OpenStream, requestCancel } from "../pool/cancel-request.js";
import type { ConnectionFence } from "../pool/connection-fence.js";
import { codeOf } from "../../errors/error-code.js";
import { type Pipeline, queryInPipeline } from "./pipelined-query.js";
import { isUnreplicated, isWorthRepeating, type Warning } from "../pool/replication.js";
import type { RunContext } from "./run-context.js";

/** How long a statement has to end before the server is asked again to cancel it, in milliseconds. */
const CANCEL_AGAIN_MS = 100;

/** The server takes no writes: it has been demoted, and its successor is found only by connecting anew. */
const READ_ONLY_STATE = "25006";

/** Sends statements on one connection within the bounds of their call, and knows when no more may be sent on it. */
export class StatementSender {
  readonly #client: PoolClient;
  readonly #openStream: OpenStream;
  readonly #fence: ConnectionFence;
  #isSpoiled = false;
  /** Whether a request to cancel has been sent, which may arrive at any time. */
  #awaitsCancel = false;
  #isAbandoned = false;
  /** What the server said last of a commit that it has not waited for a standby with. */
  #unreplicated: Warning | undefined;

  /**
   * @param openStream - As in the options of the pool.
   */
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

  /** Whether a statement was given up on it that the server may still carry out. */
  get isAbandoned(): boolean {
    return this.#isAbandoned;
  }

  /** Has the connection thrown away after its use. */
  spoil(): void {
    this.#isSpoiled = true;
  }

  /** Sends one statement. */
  send<Row>(query: QueryConfig, context: RunContext): Promise<QueryResult<Row & object>> {
    return this.#bounded(() => this.#client.query<Row & object>(query), context);
  }

  /**
   * Sends statements in one round trip.
   *
   * @param closing - The names of prepared statements that the server forgets before.
   */
  sendAll<Row = unknown>(
    queries: readonly QueryConfig[],
    context: RunContext,
    closing: readonly string[] = [],
  ): Promise<QueryResult<Row & object>[]> {
    const last = queries.at(-1);
    if (last === undefined) return Promise.resolve([]);
    const pipeline: Pipeline = [last, ...queries.slice(0, -1)];
    return this.#bounded(() => queryInPipeline<Row & object>(this.#client, pipeline, closing), context);
  }

  async #bounded<T>(run: () => Promise<T>, context: RunContext): Promise<T> {
    if (this.#awaitsCancel) {
      throwIfAborted(context.signal);
      throw new ConnectionError(
        "the connection is given up, as an earlier statement on it was to be cancelled",
      );
    }
    const cancel = (giveUp: AbortSignal): Promise<void> => {
      // The request may arrive late, and would then hit the connection's next statement: there must be none.
      this.#isSpoiled = true;
      this.#awaitsCancel = true;
      return this.#cancel(giveUp);
    };
    this.#unreplicated = undefined;
    let answer: T;
    try {
      answer = await runBounded({ run: () => this.#fence.watch(run), cancel }, context);
    } catch (error) {
      if (this.#fence.abandon()) {
        this.#isSpoiled = true;
        this.#isAbandoned = true;
      }
      if (codeOf(error) === READ_ONLY_STATE) this.#isSpoiled = true;
      // Where the server has ended the connection it says no more than the warning.
      throw this.#unreplicatedError() ?? error;
    }
    // Where the wait for a standby was cancelled it reports success, and warns.
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
   * Asks until the statement has ended: a pooler drops the request while the statement still waits for a connection to the
   * server, and would send the statement afterwards.
   */
  async #cancel(giveUp: AbortSignal): Promise<void> {
    while (!giveUp.aborted) {
      await requestCancel(this.#client, this.#openStream, giveUp);
      await setTimeout(CANCEL_AGAIN_MS, undefined, { signal: giveUp });
    }
  }
}
