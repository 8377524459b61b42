import { sql } from "kysely";
import type { CallContext } from "../db/call-context.js";
import { isLockTimeout } from "../db/statements/lock-timeout.js";
import { Statement } from "../db/statements/statement.js";
import { retryTransient } from "../db/statements/retry-transient.js";
import type { DatabaseError } from "../errors/index.js";
import { isCurrent } from "./migration-status.js";
import { migrateSets } from "./migrate.js";
import type { MigrationSet } from "./migration-set.js";

/** Migrates sets of tables to their newest versions, as `setup()` of a saver, a store, a cache or a checkpoint store does. */
export async function setUpSets(call: CallContext, sets: readonly MigrationSet[]): Promise<void> {
  const { database, schema, policy, telemetry, observer, signal, lockTimeoutMs } = call;
  const db = signal === undefined ? database.kysely : (database.kyselyUntil?.(signal) ?? database.kysely);
  const limits = { signal, statementTimeoutMs: policy.statementTimeoutMs };
  const migrate = async () => {
    if (await areCurrent(call, sets)) return [];
    // A transaction was asked nothing yet. This waits within limits, and checks the driver. The queries of a Kysely itself do neither.
    if (database.kysely.isTransaction) await database.execute(nothing.bind(schema, {}), limits);
    return migrateSets(db, sets, { schema, lockTimeoutMs }).catch(returnLockTimeout);
  };
  const outcome = await retryTransient(migrate, database.kysely.isTransaction ? false : policy.retry, {
    signal,
    observer,
  });
  if (outcome instanceof Error) throw outcome;
  if (outcome.length > 0)
    telemetry?.report("info", "migrations applied", { fields: { schema, steps: outcome } });
}

async function areCurrent(call: CallContext, sets: readonly MigrationSet[]): Promise<boolean> {
  for (const set of sets) if (!(await isCurrent(call, set))) return false;
  return true;
}

const nothing = new Statement<object, unknown>((db) => db.selectNoFrom(sql.lit(1).as("one")));

/** A lock timeout is transient, but has used the time of the call: the wait must not begin again. */
function returnLockTimeout(error: unknown): DatabaseError {
  if (isLockTimeout(error)) return error;
  throw error;
}
