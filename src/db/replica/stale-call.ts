import { AbortError, DatabaseError, StatementTimeoutError } from "../../errors/index.js";
import type { CallContext } from "../call-context.js";
import type { OpenedDatabase } from "../opened-database.js";
import type { RunContext, TransactionSteps } from "../statements/transaction-steps.js";
import type { BoundStatement } from "../statements/statement.js";
import { toDatabaseError } from "../to-database-error.js";
import type { OpenedReplica } from "./open-replica.js";

/**
 * Returns the context for a call whose reads may be stale: its statements go to the replica, where the saver has one that can be used.
 * Which calls of a saver are such, `saverOperations` says.
 *
 * From the first statement that goes to the primary instead, the rest of the call does: the primary is never behind the replica, so a
 * call of several statements never sees something older than before.
 */
export function staleCall<Call extends CallContext>(call: Call): Call {
  const { replica } = call;
  if (replica === undefined) return call;
  // Checked below, for the database that a statement is sent to.
  const policy = { ...call.policy, rowSecurity: undefined };
  return { ...call, database: staleDatabase(call, replica), policy };
}

type Send<T> = (database: OpenedDatabase) => Promise<T>;

function staleDatabase(call: CallContext, opened: OpenedReplica): OpenedDatabase {
  const primary = call.database;
  let isOnReplica = true;
  const sendTo = async <T>(database: OpenedDatabase, send: Send<T>): Promise<T> => {
    await call.policy.rowSecurity?.run({ ...call, database });
    return send(database);
  };
  const toPrimary = <T>(send: Send<T>): Promise<T> => {
    isOnReplica = false;
    return sendTo(primary, send);
  };
  const toReplica = async <T>(send: Send<T>, { signal }: RunContext): Promise<T> => {
    const replica = await opened.checked();
    const fault = await replica.faultNow(signal);
    if (fault !== undefined) {
      replica.count(fault);
      return toPrimary(send);
    }
    try {
      const result = await sendTo(opened.database, send);
      replica.count("replica");
      return result;
    } catch (reason) {
      const error = toDatabaseError(reason);
      if (!isOfReplica(error)) throw error;
      replica.count(isAboutStatement(error) ? "conflict" : replica.leaveAside(error));
      return toPrimary(send);
    }
  };
  return {
    ...primary,
    // What is remembered of a database, such as its placement, may not hold for the other one yet.
    source: opened.database.source,
    get closed() {
      return primary.closed;
    },
    execute: <Row>(statement: BoundStatement<Row>, context: RunContext = {}) => {
      const send: Send<Row[]> = (database) => database.execute(statement, context);
      return isOnReplica && statement.writes !== true ? toReplica(send, context) : toPrimary(send);
    },
    transact: <Row>(steps: TransactionSteps<Row>, context: RunContext = {}) => {
      const send: Send<Row[][]> = (database) => database.transact(steps, context);
      const { guard = [], statements } = steps;
      const all = [...guard.map(({ statement }) => statement), ...statements];
      return isOnReplica && all.every(({ writes }) => writes !== true)
        ? toReplica(send, context)
        : toPrimary(send);
    },
    interact: (run, context) => toPrimary((database) => database.interact(run, context)),
  };
}

/** Whether the primary may succeed: neither the caller nor the time limit has ended the statement, and it is no mistake of ours. */
function isOfReplica(error: Error): error is DatabaseError {
  return (
    error instanceof DatabaseError &&
    !(error instanceof AbortError) &&
    !(error instanceof StatementTimeoutError)
  );
}

/** The SQLSTATEs that say nothing about the replica as a whole. */
const STATEMENT_STATES = new Set([
  "40001", // canceled due to conflict with recovery
  "40P01", // the same, where replay and the statement waited for each other
  "42501", // insufficient_privilege: the primary refuses it as well
  "57014", // a statement_timeout of the replica
]);

/** Whether the next statement may well succeed on the replica. */
function isAboutStatement({ sqlState = "" }: DatabaseError): boolean {
  // Class 22: stored data that the statement can't read.
  return STATEMENT_STATES.has(sqlState) || sqlState.startsWith("22");
}
