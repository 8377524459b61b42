import type { BoundStatement } from "../../db/statements/statement.js";
import { type TransactionSteps, sendSteps } from "../../db/statements/transaction-steps.js";
import type {
  BetterSqlite3Database,
  NodeSqliteDatabase,
  SqliteParameter,
  SqliteKysely,
} from "./sqlite-source.js";
import { CompiledQuery, type DatabaseConnection } from "kysely";
import { noop } from "../../db/async/noop.js";

/** Sends statements to one SQLite database. Errors are those of its driver. */
export interface SqliteSender {
  send<Row>(statement: BoundStatement<Row>): Promise<Row[]>;
  /** Sends statements so that all of them are stored or none, in a transaction or within the one that is open. Returns their rows. */
  transact(steps: TransactionSteps): Promise<unknown[][]>;
}

/**
 * Begins a transaction, or a part of the one that the application has opened. The first statement after it changes rows, so that the
 * transaction takes the lock of writers at once.
 */
const SAVEPOINT = bare("savepoint checkpoint_store_call");
const RELEASE = bare("release checkpoint_store_call");
const ROLL_BACK_TO = bare("rollback to checkpoint_store_call");
const ROLL_BACK = bare("rollback");

function bare(sql: string): BoundStatement<unknown> {
  return { name: sql, sql, parameters: [] };
}

/** Runs a prepared statement, and returns its rows. */
type Prepared = (parameters: readonly unknown[]) => unknown[];

/** Returns what prepares statements of a database of better-sqlite3. */
export function preparingBetterSqlite3(database: BetterSqlite3Database): (sql: string) => Prepared {
  return (sql) => {
    const statement = database.prepare(sql);
    if (statement.reader) return (parameters) => statement.all(...parameters);
    return (parameters) => {
      statement.run(...parameters);
      return [];
    };
  };
}

/** Returns what prepares statements of a database of `node:sqlite`. */
export function preparingNodeSqlite(database: NodeSqliteDatabase): (sql: string) => Prepared {
  return (sql) => {
    const statement = database.prepare(sql);
    return (parameters) => statement.all(...(parameters as readonly SqliteParameter[]));
  };
}

/**
 * Sends statements directly to a driver. It prepares each statement once. A transaction runs without a pause, so that no other call on the
 * connection gets into it.
 */
export class DirectSender implements SqliteSender {
  readonly #prepare: (sql: string) => Prepared;
  readonly #prepared = new Map<string, Prepared>();

  constructor(prepare: (sql: string) => Prepared) {
    this.#prepare = prepare;
  }

  async send<Row>(statement: BoundStatement<Row>): Promise<Row[]> {
    return Promise.resolve(this.#run(statement));
  }

  async transact({ guard = [], statements }: TransactionSteps): Promise<unknown[][]> {
    this.#run(SAVEPOINT);
    try {
      for (const step of guard) {
        const rows = this.#run(step.statement);
        step.check?.(rows);
      }
      const rows = statements.map((statement) => this.#run(statement));
      this.#run(RELEASE);
      return await Promise.resolve(rows);
    } catch (error) {
      this.#undo();
      throw error;
    }
  }

  /** SQLite has ended the transaction already after some errors, such as that of a full disk. */
  #undo(): void {
    try {
      this.#run(ROLL_BACK_TO);
    } catch {
      return;
    }
    try {
      this.#run(RELEASE);
    } catch {
      // Only the end of a whole transaction can fail, so that it is ours.
      this.#run(ROLL_BACK);
    }
  }

  #run<Row>({ sql, parameters }: BoundStatement<Row>): Row[] {
    let run = this.#prepared.get(sql);
    if (run === undefined) {
      run = this.#prepare(sql);
      this.#prepared.set(sql, run);
    }
    return run(parameters) as Row[];
  }
}

/** Sends statements through a Kysely or a transaction of one, past its plugins. It has one connection, which one caller at a time uses. */
export class KyselySender implements SqliteSender {
  readonly #kysely: SqliteKysely;

  constructor(kysely: SqliteKysely) {
    this.#kysely = kysely;
  }

  send<Row>(statement: BoundStatement<Row>): Promise<Row[]> {
    return this.#kysely.getExecutor().provideConnection((connection) => sendOn(connection, statement));
  }

  transact(steps: TransactionSteps): Promise<unknown[][]> {
    return this.#kysely.getExecutor().provideConnection(async (connection) => {
      await sendOn(connection, SAVEPOINT);
      try {
        const rows = await sendSteps(steps, (statement) => sendOn(connection, statement));
        await sendOn(connection, RELEASE);
        return rows;
      } catch (error) {
        // SQLite has ended the transaction already after some errors, such as that of a full disk.
        await sendOn(connection, ROLL_BACK_TO)
          .then(() => sendOn(connection, RELEASE))
          .catch(noop);
        throw error;
      }
    });
  }
}

async function sendOn<Row>(
  connection: DatabaseConnection,
  { sql, parameters }: BoundStatement<Row>,
): Promise<Row[]> {
  const { rows } = await connection.executeQuery<Row>(CompiledQuery.raw(sql, [...parameters]));
  return rows;
}
