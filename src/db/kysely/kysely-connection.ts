import type { CompiledQuery, DatabaseConnection, Kysely, QueryResult } from "kysely";
import { NotReplicatedError, StatementTimeoutError } from "../../errors/index.js";
import { isBounded, runBounded } from "../statements/cancellation.js";
import type { CheckpointDatabase } from "../checkpoint-database.js";
import { replicationState } from "../statements/synchronous-replication.js";
import { type RunContext, ROLLBACK } from "../statements/transaction-steps.js";
import type { BoundStatement } from "../statements/statement.js";
import { noop } from "../async/noop.js";
import { cancelBackend, prepareCancel } from "./cancel-backend.js";
import { toKyselyQuery } from "./to-kysely-query.js";
import { waitForKysely } from "./wait-for-kysely.js";

/** Runs a function with another connection of the same Kysely. */
type OnOtherConnection = (use: (connection: DatabaseConnection) => Promise<void>) => Promise<void>;

/**
 * A connection of a passed-in Kysely. After a cancel request a statement settles with the server's answer,
 * while Kysely's own cancellation would reject at once.
 */
class KyselyConnection {
  readonly #connection: DatabaseConnection;
  readonly #onOther: OnOtherConnection;
  readonly #queries = new Set<Promise<unknown>>();
  #cancel: Promise<void> = Promise.resolve();
  #undone: Promise<void> = Promise.resolve();

  constructor(connection: DatabaseConnection, onOther: OnOtherConnection) {
    this.#connection = connection;
    this.#onOther = onOther;
  }

  /** @param commits - Whether the statement commits a transaction that has changed something. */
  async send<Row>(
    statement: BoundStatement<Row>,
    context: Omit<RunContext, "tenantId">,
    commits = false,
  ): Promise<Row[]> {
    const query = toKyselyQuery(statement);
    let isCancelled = false;
    let hasEnded = false;
    const throwIfCancelled = (): void => {
      if (isCancelled) throw new StatementTimeoutError(context.statementTimeoutMs ?? 0);
    };
    const run = async (): Promise<Row[]> => {
      // An earlier cancel request would cancel this statement.
      await this.#settled();
      if (isBounded(context)) await this.#finish(prepareCancel(this.#connection));
      // The cancel request has found nothing to cancel.
      throwIfCancelled();
      try {
        const { rows } = await this.#query<Row>(query);
        if (commits && isCancelled) await this.#refuseUnreplicated();
        return rows;
      } finally {
        hasEnded = true;
      }
    };
    const cancel = (): Promise<void> => {
      isCancelled = true;
      return this.#requestCancel(query, () => hasEnded);
    };
    return runBounded({ run, cancel }, context);
  }

  /** Where the driver can't cancel, this takes another connection, for which it may have to wait until the statement has ended. */
  async #requestCancel({ sql }: CompiledQuery, hasEnded: () => boolean): Promise<void> {
    const connection = this.#connection;
    if (connection.cancelQuery !== undefined) {
      this.#cancel = connection.cancelQuery(this.#onOther);
      return this.#cancel;
    }
    await this.#onOther(async (other) => {
      if (hasEnded()) return;
      this.#cancel = cancelBackend(connection, other, sql);
      await this.#cancel;
    });
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
    return this.#finish(this.#connection.executeQuery<Row>(query));
  }

  /** The connection is not idle before the answer is there, even if nobody waits for it any more. */
  #finish<T>(answer: Promise<T>): Promise<T> {
    const done = (): void => {
      this.#queries.delete(answer);
    };
    this.#queries.add(answer);
    answer.then(done, done);
    return answer;
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
