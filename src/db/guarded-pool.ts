import type { PostgresPool } from "kysely";
import type { Pool } from "pg";
import { ConnectionError } from "../errors.js";
import { abortErrorOf, throwIfAborted } from "./bounded-run.js";
import { guardPool } from "./guard-pool.js";
import { GuardedClient } from "./guarded-client.js";
import { connectUntilEnded } from "./pool-line.js";
import { raceAgainst } from "./race-against.js";
import type { RunContext } from "./run-context.js";
import type { BoundStatement } from "./statement.js";
import type { SendStatement, TransactionSteps } from "./transaction-steps.js";

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
  /** When the server was last heard of on a connection. */
  readonly #heardAt = new WeakMap<GuardedClient, number>();
  /** Connections that were last heard of before this are not used again. */
  #suspectBefore = -Infinity;
  readonly options: object;

  constructor(pool: Pool, { prepare }: SendOptions) {
    this.#pool = pool;
    this.#prepare = prepare;
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
    for (;;) {
      const client = GuardedClient.of(await connectUntilEnded(this.#pool), this.#pool.options.stream);
      if (!this.#isSuspect(client)) return client;
      client.release(true);
    }
  }

  async end(): Promise<void> {
    await this.#pool.end();
  }

  async #use<T>(context: RunContext, run: (client: GuardedClient) => Promise<T>): Promise<T> {
    const client = await this.#connect(context.signal);
    const began = performance.now();
    try {
      const result = await run(client);
      this.#heardAt.set(client, performance.now());
      return result;
    } catch (error) {
      // What swallows one connection in silence has swallowed those beside it: each would cost a caller its timeout.
      if (error instanceof ConnectionError) this.#suspectBefore = Math.max(this.#suspectBefore, began);
      throw error;
    } finally {
      // A connection that broke is not put back: pg's client knows, and the pool asks it.
      client.release();
    }
  }

  #isSuspect(client: GuardedClient): boolean {
    return (this.#heardAt.get(client) ?? Infinity) < this.#suspectBefore;
  }

  /** Waits for a connection no longer than the caller does: one that comes too late goes back to the pool. */
  async #connect(signal: AbortSignal | undefined): Promise<GuardedClient> {
    if (signal === undefined) return this.connect();
    throwIfAborted(signal);
    const connected = this.connect();
    try {
      return await raceAgainst(signal, connected);
    } catch (error) {
      if (signal.aborted) connected.then(release, ignore);
      throw error === signal.reason ? abortErrorOf(signal) : error;
    }
  }
}

function release(client: GuardedClient): void {
  client.release();
}

function ignore(): void {
  // The caller has left.
}
