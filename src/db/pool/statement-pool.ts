import { setTimeout as pause } from "node:timers/promises";
import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from "kysely";
import type { Pool } from "pg";
import { AbortError, ConnectionError } from "../../errors/index.js";
import { BackendFences } from "./backend-fences.js";
import { abortErrorOf, throwIfAborted } from "../statements/bounded-run.js";
import { growingPauseMs, type PauseBounds } from "../async/growing-pause.js";
import { guardPool } from "./handle-pool-errors.js";
import { GuardedClient } from "./statement-client.js";
import { connectUntilEnded } from "./connect-until-ended.js";
import { raceAgainst } from "../async/race-against.js";
import type { RunContext } from "../statements/run-context.js";
import type { BoundStatement } from "../statements/statement.js";
import type { SendStatement, TransactionSteps } from "../statements/transaction-steps.js";
import { withinTime } from "../async/within-time.js";

/** How long a call that gives a statement up waits until the server can no longer carry it out, in milliseconds. */
const FENCED_WITHIN_MS = 2_000;

/** How long it waits until it connects again. */
const FENCE_PAUSE: PauseBounds = { firstMs: 5, longestMs: 200 };

/** How statements are sent. */
export interface SendOptions {
  /** Whether by name, so that Postgres plans each once per connection. */
  readonly prepare: boolean;
}

/**
 * A `pg` pool as Kysely's dialect takes it, with two things that it lacks: a connection that dies never takes the
 * process down with it, and our own statements are sent as prepared ones, past the parts of Kysely that they don't need.
 */
export class GuardedPool implements PostgresPool {
  readonly #pool: Pool;
  readonly #prepare: boolean;
  readonly #fences: BackendFences;
  /** When the server was last heard of on a connection. */
  readonly #heardAt = new WeakMap<GuardedClient, number>();
  /** Connections that were last heard of before this are not used again. */
  #suspectBefore = -Infinity;
  readonly options: object;

  constructor(pool: Pool, { prepare }: SendOptions) {
    this.#pool = pool;
    this.#prepare = prepare;
    this.#fences = BackendFences.of(pool);
    this.options = pool.options;
    // For good: the pool may have another saver when this one is closed.
    guardPool(pool);
  }

  /** Sends one of our own statements on a connection of the pool, and returns its rows. */
  async execute<Row>(statement: BoundStatement<Row>, context: RunContext): Promise<Row[]> {
    return this.#use(context, (client) => client.execute(statement, this.#prepare, context));
  }

  /** Sends several of our own statements in one transaction, on one connection, and returns the rows of each. */
  async transact<Row>(steps: TransactionSteps<Row>, context: RunContext): Promise<Row[][]> {
    return this.#use(context, (client) => client.transact(steps, context));
  }

  /** Runs what decides by the rows of one statement which comes next, in one transaction on one connection. */
  async interact<T>(run: (send: SendStatement) => Promise<T>, context: RunContext): Promise<T> {
    return this.#use(context, (client) => client.interact(run, context));
  }

  async connect(): Promise<GuardedClient> {
    return this.#connect({});
  }

  async end(): Promise<void> {
    await this.#pool.end();
  }

  /** The same pool for a Kysely whose queries a signal ends. */
  endedBy(signal: AbortSignal): PostgresPool {
    const context = { signal };
    return {
      options: this.options,
      connect: async () => clientWithin(await this.#connect(context), context),
      // The pool belongs to whoever has the other Kysely.
      end: () => Promise.resolve(),
    };
  }

  async #use<T>(context: RunContext, run: (client: GuardedClient) => Promise<T>): Promise<T> {
    const client = await this.#connect(context);
    const began = performance.now();
    try {
      const result = await run(client);
      this.#heardAt.set(client, performance.now());
      client.release();
      return result;
    } catch (error) {
      // What swallows one connection in silence has swallowed those beside it: each would cost a caller its timeout.
      const isSilent =
        error instanceof ConnectionError || (error instanceof AbortError && client.isAbandoned);
      if (isSilent) this.#suspectBefore = Math.max(this.#suspectBefore, began);
      // A connection that broke is not put back: pg's client knows, and the pool asks it.
      client.release();
      if (client.isAbandoned) await this.#fence();
      throw error;
    }
  }

  /**
   * Ends the server processes of abandoned connections before the caller hears of it: what it does next must not be overtaken. A
   * connection that is lost meanwhile is replaced. Where the server can't be reached in time, the next use of the pool does it.
   */
  async #fence(): Promise<void> {
    await withinTime({ limitMs: FENCED_WITHIN_MS }, async (signal) => {
      for (let round = 0; this.#fences.areDue && !signal.aborted && !this.#pool.ending; round++) {
        try {
          (await this.#connect({ signal })).release();
        } catch {
          await pause(growingPauseMs(round, FENCE_PAUSE), undefined, { signal }).catch(ignore);
        }
      }
    });
  }

  #isSuspect(client: GuardedClient): boolean {
    return (this.#heardAt.get(client) ?? Infinity) < this.#suspectBefore;
  }

  async #connect(context: RunContext): Promise<GuardedClient> {
    const { signal } = context;
    const client = await (signal === undefined ? this.#take() : this.#takeUntil(signal));
    if (!client.isUnsettled(context)) return client;
    try {
      await client.settle(context);
      return client;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }

  /** Waits for a connection no longer than the caller does: one that comes too late goes back to the pool. */
  async #takeUntil(signal: AbortSignal): Promise<GuardedClient> {
    throwIfAborted(signal);
    const taken = this.#take();
    try {
      return await raceAgainst(signal, taken);
    } catch (error) {
      if (signal.aborted) taken.then(release, ignore);
      throw error === signal.reason ? abortErrorOf(signal) : error;
    }
  }

  async #take(): Promise<GuardedClient> {
    for (;;) {
      const taken = await connectUntilEnded(this.#pool);
      const client = GuardedClient.of(taken, this.#fences, this.#pool.options.stream);
      if (!this.#isSuspect(client)) return client;
      client.release(true);
    }
  }
}

function clientWithin(client: GuardedClient, context: RunContext): PostgresPoolClient {
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
      client.release(discard);
    },
  };
}

function release(client: GuardedClient): void {
  client.release();
}

function ignore(): void {
  // The caller has left.
}
