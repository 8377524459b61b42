import { sql } from "kysely";
import { ReadOnlyError } from "../../errors/index.js";
import { type CallContext, runContextOf } from "../call-context.js";
import { Statement } from "./statement.js";

/**
 * Finds out why a server takes no writes. A standby, and a server that is set read-only as a whole, may be part of a failover, which a retry
 * outlasts. A setting of the role, of the database or of the connection stays. Other errors are returned as they are.
 */
export async function explainReadOnly(error: Error, call: CallContext): Promise<Error> {
  if (!(error instanceof ReadOnlyError) || call.database.kysely.isTransaction) return error;
  const state = await readOnlyState(call).catch(() => undefined);
  return state === undefined ? error : readOnlyError(state, error.cause);
}

/** Whether a connection may write, and why not. */
export interface ReadOnlyState {
  readonly standby: boolean;
  /** The setting `transaction_read_only`, which is always on on a standby. */
  readonly read_only: string;
  /** Where `default_transaction_read_only` comes from, as `pg_settings` has it. */
  readonly source: string | null;
  readonly role: string;
}

async function readOnlyState(call: CallContext): Promise<ReadOnlyState | undefined> {
  const [state] = await call.database.execute(whyReadOnly.bind(call.schema, {}), runContextOf(call));
  return state;
}

/** Asks for the {@link ReadOnlyState}. */
export const whyReadOnly = new Statement<object, ReadOnlyState>((db) =>
  db.selectNoFrom([
    sql<boolean>`pg_is_in_recovery()`.as("standby"),
    sql<string>`current_setting('transaction_read_only')`.as("read_only"),
    sql<string | null>`(select source from pg_settings where name = 'default_transaction_read_only')`.as(
      "source",
    ),
    sql<string>`current_user::text`.as("role"),
  ]),
);

/** Sources of a setting that holds for the whole server, as while it is demoted. */
const OF_SERVER: ReadonlySet<string | null> = new Set([
  "configuration file",
  "command line",
  "default",
  null,
]);

/** The error of a connection that may not write. */
export function readOnlyError({ standby, source, role }: ReadOnlyState, cause: unknown): ReadOnlyError {
  if (standby)
    return new ReadOnlyError("the server is a standby, which takes no writes: connect to the primary", {
      cause,
    });
  if (OF_SERVER.has(source)) {
    return new ReadOnlyError(
      "the server takes no writes, since default_transaction_read_only is on for all of it: it is being demoted, or somebody has set it so",
      { cause },
    );
  }
  return new ReadOnlyError(
    `default_transaction_read_only is on (source: ${source}) for the role "${role}": turn it off, as by ` +
      `\`alter role "${role}" set default_transaction_read_only to off\`, or use a role that may write`,
    { cause, transient: false },
  );
}
