import { CompiledQuery, type DatabaseConnection } from "kysely";
import { noop } from "../../db/async/noop.js";
import type { BoundStatement } from "../../db/statements/statement.js";
import { sendSteps, type TransactionSteps } from "../../db/statements/transaction-steps.js";
import { RELEASE, ROLL_BACK_TO, SAVEPOINT, type SqliteSender } from "./sqlite-sender.js";
import type { SqliteKysely } from "./sqlite-source.js";

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
