import { ConnectionError, MigrationRequiredError } from "../../errors/index.js";
import { throwIfAborted } from "../../db/statements/cancellation.js";
import { type RetryOptions, retryTransient } from "../../db/statements/retry-transient.js";
import type { Statement } from "../../db/statements/statement.js";
import type { TransactionSteps } from "../../db/statements/transaction-steps.js";
import type { DatabaseAddress } from "../../telemetry/logger.js";
import type { BackendCall } from "../model/backend.js";
import type { RecordScope } from "../model/stored-record.js";
import type { RecordConnection } from "../sql/sql-backend.js";
import {
  DirectSender,
  preparingBetterSqlite3,
  preparingNodeSqlite,
  KyselySender,
  type SqliteSender,
} from "./sqlite-sender.js";
import { nodeSqliteOpener, type OwnDatabase, recognizeSource, type SqliteSource } from "./sqlite-source.js";
import { isSetUp, setUpTable } from "./sqlite-table.js";
import { isMisunderstood, toSqliteError } from "./sqlite-errors.js";
import { setImmediate as nextTurn } from "node:timers/promises";

/** The schema of the database itself. Others are attached ones. */
const SCHEMA = "main";

/** A database in SQLite. A path is opened by the first call. */
export class SqliteConnection implements RecordConnection {
  readonly #table: string;
  readonly #retry: RetryOptions | false;
  readonly #open: () => SqliteSender;
  readonly #turns = new EventLoopTurns();
  #sender: SqliteSender | undefined;
  #own: OwnDatabase | undefined;
  #isClosed = false;

  /** @throws InvalidConfigError for an invalid source, and for a path where Node.js has no `node:sqlite`. */
  constructor(source: SqliteSource, table: string, retry: RetryOptions | false) {
    const recognized = recognizeSource(source);
    this.#table = table;
    // The first error of a transaction is for the application to handle.
    this.#retry = recognized.kind === "kysely" && recognized.kysely.isTransaction ? false : retry;
    switch (recognized.kind) {
      case "path": {
        const open = nodeSqliteOpener();
        this.#open = () => {
          this.#own = open(recognized.path);
          return new DirectSender(preparingNodeSqlite(this.#own));
        };
        break;
      }
      case "better-sqlite3":
        this.#open = () => new DirectSender(preparingBetterSqlite3(recognized.database));
        break;
      case "node:sqlite":
        this.#open = () => new DirectSender(preparingNodeSqlite(recognized.database));
        break;
      case "kysely":
        this.#open = () => new KyselySender(recognized.kysely);
    }
  }

  address(): DatabaseAddress {
    return {};
  }

  setup(call: BackendCall): Promise<void> {
    return this.#retried(call, (sender) => setUpTable(sender, this.#table));
  }

  async run<Params extends object, Row>(
    call: BackendCall,
    statement: Statement<Params, Row>,
    params: Params,
  ): Promise<Row[]> {
    const bound = statement.bind(SCHEMA, params);
    const rows = await this.#retried(call, (sender) => sender.send(bound));
    call.observer?.addRows(rows.length);
    return rows;
  }

  // The first statement takes the lock of all writers.
  transact(
    call: BackendCall,
    _scopes: readonly RecordScope[],
    steps: (schema: string) => TransactionSteps,
  ): Promise<readonly (readonly unknown[])[]> {
    return this.#retried(call, (sender) => sender.transact(steps(SCHEMA)));
  }

  close(): Promise<void> {
    this.#isClosed = true;
    this.#own?.close();
    this.#own = undefined;
    return Promise.resolve();
  }

  #retried<T>(call: BackendCall, work: (sender: SqliteSender) => Promise<T>): Promise<T> {
    const { signal, observer } = call;
    const attempt = async (): Promise<T> => {
      await this.#turns.pause();
      throwIfAborted(signal);
      if (this.#isClosed) throw new ConnectionError("the database has been closed", { transient: false });
      try {
        return await work((this.#sender ??= this.#open()));
      } catch (error) {
        throw await this.#explained(error);
      }
    };
    return retryTransient(attempt, this.#retry, { signal, observer });
  }

  async #explained(cause: unknown): Promise<Error> {
    const error = toSqliteError(cause);
    if (!isMisunderstood(cause) || this.#sender === undefined) return error;
    if (await isSetUp(this.#sender, this.#table)) return error;
    return new MigrationRequiredError(
      SCHEMA,
      `the table "${this.#table}" is missing or has no thread_id: call setup() of the checkpoint store (${error.message})`,
      { cause },
    );
  }
}

/** How long statements may follow one another before timers, signals and I/O get a turn, in milliseconds. */
const LONGEST_MS = 5;

/**
 * Gives the event loop a turn now and then. The drivers of SQLite block, so a loop of awaited calls would let nothing else run: their
 * promises are settled already.
 */
class EventLoopTurns {
  /** When the current turn began its first statement. */
  #since: number | undefined;

  /** Waits where the current turn has been long. Call it before each statement. */
  async pause(): Promise<void> {
    while (this.#isDue()) await nextTurn();
  }

  #isDue(): boolean {
    const now = performance.now();
    if (this.#since !== undefined) return now - this.#since > LONGEST_MS;
    this.#since = now;
    setImmediate(() => {
      this.#since = undefined;
    });
    return false;
  }
}
