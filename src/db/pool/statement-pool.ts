import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from "kysely";
import type { Pool } from "pg";
import { AbortError, ConnectionError } from "../../errors/index.js";
import type { PoolState } from "../opened-database.js";
import { BackendFences } from "./backend-fences.js";
import { abortErrorOf, throwIfAborted } from "../statements/cancellation.js";
import { growingPauses, retry } from "../async/retry.js";
import { handlePoolErrors, connectUntilEnded } from "./connect-until-ended.js";
import { ClientPool } from "./client-pool.js";
import { KeptConnections, SuspectConnections } from "./kept-connections.js";
import { StatementClient } from "./statement-client.js";
import { raceAgainst, withinTime } from "../async/within-time.js";
import type { RunContext, SendStatement, TransactionSteps } from "../statements/transaction-steps.js";
import type { BoundStatement } from "../statements/statement.js";
import { noop } from "../async/noop.js";

/**
 * How long a call that abandons a statement waits until the server can no longer execute it, in milliseconds.
 */
const FENCED_WITHIN_MS = 2_000;

/** The pauses between its attempts to connect. */
const FENCE_PAUSES = growingPauses(5, 200);

/** How statements are sent. */
export interface SendOptions {
  /** Whether statements are prepared, so that Postgres plans each of them once per connection. */
  readonly prepare: boolean;
}

/**
 * A `pg` pool for Kysely's dialect, with two additions: a connection that dies never ends the process, and
 * this library's statements are sent as prepared statements that bypass the parts of Kysely that they don't
 * need.
 */
export class StatementPool implements PostgresPool {
  readonly #pool: Pool;
  readonly #prepare: boolean;
  readonly #fences: BackendFences;
  readonly #suspects = new SuspectConnections();
  readonly #kept: KeptConnections;
  readonly options: object;

  constructor(pool: Pool, { prepare }: SendOptions) {
    this.#pool = pool;
    this.#prepare = prepare;
    this.#fences = BackendFences.of(pool);
    this.#kept = new KeptConnections(pool);
    this.options = pool.options;
    // Never undone, since another saver may use the pool after this one is closed.
    handlePoolErrors(pool);
  }

  /** The state of the pool. A connection that is kept until the end of the turn is idle. */
  get state(): PoolState {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { total: totalCount, idle: idleCount + this.#kept.count, waiting: waitingCount };
  }

  /** Whether the server has Citus; `undefined` until a connection has answered. */
  get hasCitus(): boolean | undefined {
    return this.#fences.hasCitus;
  }

  /** Sends one statement on a connection of the pool, and returns its rows. */
  execute<Row>(statement: BoundStatement<Row>, context: RunContext): Promise<Row[]> {
    return this.#use(context, (client) => client.execute(statement, this.#prepare, context), statement);
  }

  /** Sends several statements in one transaction on one connection, and returns the rows of each. */
  transact<Row>(steps: TransactionSteps<Row>, context: RunContext): Promise<Row[][]> {
    return this.#use(context, (client) => client.transact(steps, this.#prepare, context));
  }

  /**
   * Runs a function that decides by the rows of one statement which one to send next, in one transaction on
   * one connection.
   */
  interact<T>(run: (send: SendStatement) => Promise<T>, context: RunContext): Promise<T> {
    return this.#use(context, (client) => client.interact(run, context));
  }

  async connect(): Promise<StatementClient> {
    return this.#connect({});
  }

  async end(): Promise<void> {
    await this.#pool.end();
  }

  /** The same pool for a Kysely whose queries and transactions end when the signal aborts. */
  endedBy(signal: AbortSignal): PostgresPool {
    const context = { signal };
    return {
      options: this.options,
      connect: async () => boundedClient(await this.#connect(context), context),
      // The other Kysely owns the pool.
      end: () => Promise.resolve(),
    };
  }

  /** @param alone - The only statement that `run` sends. Default: it may send several. */
  async #use<T>(
    context: RunContext,
    run: (client: StatementClient) => Promise<T>,
    alone?: BoundStatement<unknown>,
  ): Promise<T> {
    context.progress?.waitsFor("connection");
    const client = await this.#connect(context, alone);
    context.progress?.waitsFor("database");
    const began = performance.now();
    this.#kept.use();
    try {
      const result = await run(client);
      this.#suspects.answered(client);
      this.#kept.giveBack(client);
      return result;
    } catch (error) {
      const isSilent =
        error instanceof ConnectionError || (error instanceof AbortError && client.isAbandoned);
      if (isSilent) this.#suspects.silentSince(began);
      // The pool discards a broken connection: it asks pg's client for its state.
      this.#kept.failed(client);
      if (client.isAbandoned) await this.#fence();
      throw error;
    }
  }

  /**
   * Ends the server processes of abandoned connections before the call rejects, so that the caller's next
   * statement can't be overtaken. Reconnects where a connection is lost meanwhile. If the server can't be
   * reached in time, the next use of the pool ends the processes.
   */
  async #fence(): Promise<void> {
    await withinTime({ limitMs: FENCED_WITHIN_MS }, (signal) => {
      const reconnect = async (): Promise<void> => {
        while (this.#fences.areDue && !this.#pool.ending) (await this.#connectToFence({ signal })).release();
      };
      return retry(reconnect, { pauseMs: FENCE_PAUSES, signal, afterError: () => true });
    }).catch(noop);
  }

  /** A pool of one client has no other connection: what ends that of the client needs one beside it. */
  async #connectToFence(context: RunContext): Promise<StatementClient> {
    if (!(this.#pool instanceof ClientPool)) return this.#connect(context);
    return settled(StatementClient.of(await this.#pool.connectBeside(), this.#fences), context);
  }

  async #connect(context: RunContext, alone?: BoundStatement<unknown>): Promise<StatementClient> {
    const { signal } = context;
    const client = await (signal === undefined ? this.#take() : this.#takeUntil(signal));
    return client.isUnsettled(context, alone) ? settled(client, context) : client;
  }

  /** Waits for a connection until the signal aborts. One that arrives later goes back to the pool. */
  async #takeUntil(signal: AbortSignal): Promise<StatementClient> {
    throwIfAborted(signal);
    const taken = this.#take();
    try {
      return await raceAgainst(signal, taken);
    } catch (error) {
      if (signal.aborted) taken.then(release, noop);
      throw error === signal.reason ? abortErrorOf(signal) : error;
    }
  }

  #take(): Promise<StatementClient> {
    return this.#kept.take(() => this.#takeFromPool());
  }

  async #takeFromPool(): Promise<StatementClient> {
    for (;;) {
      const taken = await connectUntilEnded(this.#pool);
      const client = StatementClient.of(taken, this.#fences, this.#pool.options.stream);
      if (!this.#suspects.has(client)) return client;
      client.release(true);
    }
  }
}

async function settled(client: StatementClient, context: RunContext): Promise<StatementClient> {
  try {
    await client.settle(context);
    return client;
  } catch (error) {
    client.release(true);
    throw error;
  }
}

function boundedClient(client: StatementClient, context: RunContext): PostgresPoolClient {
  function query<R>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  function query<R>(cursor: PostgresCursor<R>): PostgresCursor<R>;
  function query<R>(
    text: string | PostgresCursor<R>,
    parameters: readonly unknown[] = [],
  ): Promise<PostgresQueryResult<R>> | PostgresCursor<R> {
    return typeof text === "string" ? client.queryWithin<R>(text, parameters, context) : client.query(text);
  }
  return {
    query,
    release: (discard) => {
      // Nothing is sent after the signal has aborted, so that a transaction may still be open.
      client.release(discard === true || context.signal?.aborted === true);
    },
  };
}

function release(client: StatementClient): void {
  client.release();
}
