import { type DatabaseConnection, sql } from "kysely";
import { Statement } from "../statements/statement.js";
import { toKyselyQuery } from "./to-kysely-query.js";

/** The server processes of connections whose drivers can't cancel. */
const processIds = new WeakMap<DatabaseConnection, number>();

/** Learns what a cancel request needs, while the connection still answers. */
export async function prepareCancel(connection: DatabaseConnection): Promise<void> {
  if (connection.cancelQuery !== undefined) {
    await connection.collectSessionInfo?.();
    return;
  }
  if (processIds.has(connection)) return;
  const query = toKyselyQuery(ownProcess.bind("", {}));
  const { rows } = await connection.executeQuery<ProcessRow>(query);
  if (rows[0] !== undefined) processIds.set(connection, rows[0].process_id);
}

/**
 * Cancels a statement of a connection whose driver can't, as none can of Kysely 0.28. {@link prepareCancel} has learnt the process.
 *
 * @param other - Another connection to the same server.
 * @param text - The statement. Behind a pooler, the process may execute that of another client, which goes on.
 */
export async function cancelBackend(
  connection: DatabaseConnection,
  other: DatabaseConnection,
  text: string,
): Promise<void> {
  const processId = processIds.get(connection);
  if (processId === undefined) return;
  await other.executeQuery(toKyselyQuery(cancelProcess.bind("", { processId, text })));
}

interface ProcessRow {
  readonly process_id: number;
}

const ownProcess = new Statement<object, ProcessRow>((db) =>
  db.selectNoFrom(sql<number>`pg_backend_pid()`.as("process_id")),
);

interface CancelParams {
  readonly processId: number;
  readonly text: string;
}

interface Activity {
  pid: number;
  state: string | null;
  query: string | null;
}

/** The server shows the beginning of a long statement. */
const cancelProcess = new Statement<CancelParams, object>((db, parameter) =>
  db
    .selectFrom(sql<Activity>`pg_stat_get_activity(${parameter("processId")}::integer)`.as("activity"))
    .select(sql<boolean>`pg_cancel_backend(activity.pid)`.as("was_sent"))
    .where("activity.state", "=", sql.lit("active"))
    .where("activity.query", "<>", sql.lit(""))
    .where(sql<boolean>`starts_with(${parameter("text")}::text, activity.query)`),
);
