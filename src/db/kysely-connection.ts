import {
  CompiledQuery,
  type ControlConnectionProvider,
  type DatabaseConnection,
  type Kysely,
  type QueryResult,
} from "kysely";
import { abortErrorOf, runBounded, throwIfAborted } from "./bounded-run.js";
import type { CheckpointDatabase } from "./checkpoint-database.js";
import { onAbort } from "./on-abort.js";
import type { RunContext } from "./run-context.js";
import type { BoundStatement } from "./statement.js";
import { ROLLBACK } from "./transaction-steps.js";

/** A connection of a Kysely that was lent. What is sent on it ends when the server says so, not before as by Kysely's own way. */
export class KyselyConnection {
  readonly #connection: DatabaseConnection;
  readonly #control: ControlConnectionProvider;
  readonly #queries = new Set<Promise<unknown>>();
  #cancel: Promise<void> = Promise.resolve();
  #undone: Promise<void> = Promise.resolve();

  constructor(connection: DatabaseConnection, control: ControlConnectionProvider) {
    this.#connection = connection;
    this.#control = control;
  }

  async send<Row>(
    { sql, parameters }: BoundStatement<Row>,
    context: Omit<RunContext, "tenantId">,
  ): Promise<Row[]> {
    const query = CompiledQuery.raw(sql, [...parameters]);
    // PGlite can't be interrupted: it runs in this process, and nothing else runs while it does.
    if (this.#connection.cancelQuery === undefined) {
      throwIfAborted(context.signal);
      return (await this.#connection.executeQuery<Row>(query)).rows;
    }
    const run = async (): Promise<Row[]> => {
      // An earlier request to cancel would hit this statement.
      await this.#settled();
      await this.#connection.collectSessionInfo?.();
      return (await this.#query<Row>(query)).rows;
    };
    const cancel = (): Promise<void> => {
      this.#cancel = this.#connection.cancelQuery?.(this.#control) ?? this.#cancel;
      return this.#cancel;
    };
    return runBounded({ run, cancel }, context);
  }

  /** Undoes a transaction, and waits for that unless the server has fallen silent. */
  async rollBack({ statementTimeoutMs }: RunContext): Promise<void> {
    const isSilent = this.#queries.size > 0;
    this.#undone = this.send(ROLLBACK, { statementTimeoutMs }).then(ignore, ignore);
    if (!isSilent) await this.#undone;
  }

  /** When nothing is under way on it any more. */
  async idle(): Promise<void> {
    await this.#undone;
    await this.#settled();
  }

  async #settled(): Promise<void> {
    await Promise.allSettled([...this.#queries, this.#cancel]);
  }

  #query<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const result = this.#connection.executeQuery<Row>(query);
    const done = (): void => {
      this.#queries.delete(result);
    };
    this.#queries.add(result);
    result.then(done, done);
    return result;
  }
}

/**
 * Uses one connection of a Kysely, for which it waits no longer than the signal says. The connection goes back when
 * nothing is under way on it any more, which may be later than the caller has been answered.
 */
export function onConnection<T>(
  kysely: Kysely<CheckpointDatabase>,
  { signal }: RunContext,
  use: (connection: KyselyConnection) => Promise<T>,
): Promise<T> {
  const executor = kysely.getExecutor();
  return new Promise((resolve, reject) => {
    throwIfAborted(signal);
    const stopListening = onAbort(signal, () => {
      reject(abortErrorOf(signal));
    });
    const provided = executor.provideConnection(async (connection) => {
      stopListening();
      if (signal?.aborted === true) return;
      const own = new KyselyConnection(connection, (consumer) => executor.provideConnection(consumer));
      await use(own).then(resolve, reject);
      await own.idle();
    });
    provided.catch(reject).finally(stopListening);
  });
}

function ignore(): void {
  // The error that came first is the one to be told.
}
