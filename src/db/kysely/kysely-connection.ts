import {
  type CompiledQuery,
  type ControlConnectionProvider,
  type DatabaseConnection,
  type Kysely,
  type QueryResult,
} from "kysely";
import { NotReplicatedError } from "../../errors/index.js";
import { runBounded, throwIfAborted } from "../statements/bounded-run.js";
import type { CheckpointDatabase } from "../checkpoint-database.js";
import { replicationState } from "../statements/synchronous-replication.js";
import type { RunContext } from "../statements/run-context.js";
import type { BoundStatement } from "../statements/statement.js";
import { ROLLBACK } from "../statements/transaction-steps.js";
import { noop } from "../async/noop.js";
import { toKyselyQuery } from "./to-kysely-query.js";
import { waitForKysely } from "./wait-for-kysely.js";

/**
 * A connection of a passed-in Kysely. After a cancel request a statement settles with the server's answer,
 * while Kysely's own cancellation would reject at once.
 */
class KyselyConnection {
  readonly #connection: DatabaseConnection;
  readonly #control: ControlConnectionProvider;
  readonly #queries = new Set<Promise<unknown>>();
  #cancel: Promise<void> = Promise.resolve();
  #undone: Promise<void> = Promise.resolve();

  constructor(connection: DatabaseConnection, control: ControlConnectionProvider) {
    this.#connection = connection;
    this.#control = control;
  }

  /** @param commits - Whether the statement commits a transaction that has changed something. */
  async send<Row>(
    statement: BoundStatement<Row>,
    context: Omit<RunContext, "tenantId">,
    commits = false,
  ): Promise<Row[]> {
    const query = toKyselyQuery(statement);
    // PGlite can't be interrupted: it blocks the process while a query runs.
    if (this.#connection.cancelQuery === undefined) {
      throwIfAborted(context.signal);
      return (await this.#connection.executeQuery<Row>(query)).rows;
    }
    let isCancelled = false;
    const run = async (): Promise<Row[]> => {
      // An earlier cancel request would cancel this statement.
      await this.#settled();
      await this.#connection.collectSessionInfo?.();
      const { rows } = await this.#query<Row>(query);
      if (commits && isCancelled) await this.#refuseUnreplicated();
      return rows;
    };
    const cancel = (): Promise<void> => {
      isCancelled = true;
      this.#cancel = this.#connection.cancelQuery?.(this.#control) ?? this.#cancel;
      return this.#cancel;
    };
    return runBounded({ run, cancel }, context);
  }

  /** Rolls a transaction back, and waits for that unless the server is silent. */
  async rollBack({ statementTimeoutMs }: RunContext): Promise<void> {
    const isSilent = this.#queries.size > 0;
    this.#undone = this.send(ROLLBACK, { statementTimeoutMs }).then(noop, noop);
    if (!isSilent) await this.#undone;
  }

  /** Resolves when nothing is running on the connection. */
  async idle(): Promise<void> {
    await this.#undone;
    await this.#settled();
  }

  /**
   * A commit that succeeded after a cancel request may not have waited for a synchronous standby. The server
   * says so only in a warning, which Kysely does not pass on.
   */
  async #refuseUnreplicated(): Promise<void> {
    await this.#settled();
    const { rows } = await this.#query<{ waits: boolean }>(toKyselyQuery(replicationState())).catch(
      (error: unknown) => {
        throw new NotReplicatedError({ cause: error });
      },
    );
    if (rows[0]?.waits !== false) throw new NotReplicatedError();
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
 * Runs `use` with a connection of a Kysely, and waits for the connection until the signal aborts or the wait takes too long. The
 * connection is released when nothing is running on it, which may be later than the call settles.
 */
export function onConnection<T>(
  kysely: Kysely<CheckpointDatabase>,
  context: RunContext,
  use: (connection: KyselyConnection) => Promise<T>,
): Promise<T> {
  const executor = kysely.getExecutor();
  return new Promise((resolve, reject) => {
    waitForKysely(kysely, context, (wait) =>
      executor.provideConnection(async (connection) => {
        wait.goOn();
        wait.end();
        const own = new KyselyConnection(connection, (consumer) => executor.provideConnection(consumer));
        await use(own).then(resolve, reject);
        await own.idle();
      }),
    ).catch(reject);
  });
}
