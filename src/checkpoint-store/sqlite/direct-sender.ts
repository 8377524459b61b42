import type { BoundStatement } from "../../db/statements/statement.js";
import type { TransactionSteps } from "../../db/statements/transaction-steps.js";
import { RELEASE, ROLL_BACK, ROLL_BACK_TO, SAVEPOINT, type SqliteSender } from "./sqlite-sender.js";
import type { BetterSqlite3Database, NodeSqliteDatabase, SqliteParameter } from "./sqlite-source.js";

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
