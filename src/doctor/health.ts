import { abortErrorOf, orAborted } from "../db/statements/bounded-run.js";
import { migrateCommand } from "../db/migrate-command.js";
import { raceAgainst } from "../db/async/race-against.js";
import { TENANT_TABLES } from "../db/row-security.js";
import { toDatabaseError } from "../db/to-database-error.js";
import { withinTime } from "../db/async/within-time.js";
import {
  CheckpointError,
  ConnectionError,
  DatabaseError,
  MigrationRequiredError,
  PermissionError,
  RowSecurityError,
} from "../errors/index.js";
import { setStatus } from "../migrations/migration-status.js";
import { CHECKPOINT_SET } from "../migrations/sets.js";
import { parseCallOptions } from "../parsing/parse-call-options.js";
import { type ServerState, serverState } from "./queries/server-state.js";
import { countingRefusal } from "../saver/call/run-call.js";
import type { SaverCall } from "../saver/call/saver-call.js";
import { boundedKysely } from "./bounded-kysely.js";
import type { Health } from "./health-types.js";

/** How long to wait without a signal from the caller, in milliseconds. */
const DEFAULT_BOUND_MS = 2_000;
/** The tables that every `put` and `putWrites` needs. */
const STORED_TABLES = ["checkpoints", "checkpoint_blobs", "checkpoint_writes"];
const READ_ONLY_TRANSACTION = "25006";
const INSUFFICIENT_PRIVILEGE = "42501";

type Findings = { -readonly [Name in keyof Health]?: Health[Name] };

/** Checks whether checkpoints can be stored now. It never rejects. */
export async function health(call: SaverCall, options: unknown): Promise<Health> {
  let began = performance.now();
  const findings: Findings = {};
  let error: CheckpointError | undefined;
  try {
    const given = countingRefusal(call, "health", () => parseCallOptions(options));
    await openEmbedded(call, given);
    began = performance.now();
    const limitMs = given === undefined ? DEFAULT_BOUND_MS : undefined;
    await withinTime({ signal: given, limitMs }, async (signal) => {
      const checking = check({ ...call, signal }, findings, began);
      // Returns in time even while the server is asked to cancel the statement.
      await raceAgainst(signal, checking).catch((reason: unknown) => {
        if (!signal.aborted) throw reason;
        throw given === undefined ? noAnswer() : abortErrorOf(given);
      });
    });
  } catch (reason) {
    error = toCheckpointError(reason);
  }
  const pool = call.database.poolState?.();
  return {
    ok: error === undefined,
    latencyMs: performance.now() - began,
    ...findings,
    ...(pool && { pool }),
    ...(error && { error }),
  };
}

/**
 * Opens a PGlite that was not used yet, outside of the time limit: opening keeps this process busy for seconds, during which no
 * timer could end the wait.
 */
async function openEmbedded({ database }: SaverCall, signal: AbortSignal | undefined): Promise<void> {
  if (database.opening === undefined || database.closed) return;
  await orAborted(database.opening(), signal);
}

async function check(call: SaverCall, findings: Findings, began: number): Promise<void> {
  const { database, schema, policy, signal } = call;
  if (database.closed) throw new ConnectionError("the database has been closed", { transient: false });
  const context = { signal, statementTimeoutMs: policy.statementTimeoutMs };
  const [server] = await database.execute(
    serverState.bind(schema, { schema, tables: TENANT_TABLES }),
    context,
  );
  findings.latencyMs = performance.now() - began;
  if (server === undefined) throw new DatabaseError("the server sent no row");
  findings.serverVersion = server.version;
  findings.isReadOnly = server.is_read_only;
  findings.missingPrivileges = server.missing_privileges;
  const { pending } = await setStatus(boundedKysely(database, context), schema, CHECKPOINT_SET);
  findings.schema = { upToDate: pending.length === 0, pending };
  if (pending.length > 0) {
    const problem = `schema "${schema}" lacks ${pending.join(", ")}: run \`${migrateCommand(schema)}\``;
    throw new MigrationRequiredError(schema, problem, { pending });
  }
  if (server.is_read_only) {
    throw new DatabaseError("the database accepts no writes", {
      sqlState: READ_ONLY_TRANSACTION,
      transient: true,
    });
  }
  requirePrivileges(call, server);
  requireRowSecurity(call, server);
}

/** Requires the privileges to store checkpoints. Deleting threads needs more. */
function requirePrivileges(
  { schema, policy }: SaverCall,
  { role, missing_privileges: missing }: ServerState,
): void {
  const rights = ["select", "insert", "update", ...(policy.keepsNewest === true ? ["delete"] : [])];
  const tables = policy.keepTombstones === true ? TENANT_TABLES : STORED_TABLES;
  const needed = tables.flatMap((table) => rights.map((right) => `${right} on ${table}`));
  const lacking = missing.filter((privilege) => needed.includes(privilege));
  if (lacking.length === 0) return;
  throw new PermissionError(
    `role "${role}" can't store checkpoints in schema "${schema}": it lacks ${lacking.join(", ")}. ` +
      "`npx langgraph-checkpoint-kysely doctor` prints the grants",
    { sqlState: INSUFFICIENT_PRIVILEGE },
  );
}

/** A saver with a tenantId refuses every call if the database does not separate tenants. */
function requireRowSecurity(
  { schema, policy: { tenantId } }: SaverCall,
  { secured_tables }: ServerState,
): void {
  if (tenantId === undefined) return;
  const open = TENANT_TABLES.filter((table) => !secured_tables.includes(table));
  if (open.length > 0) throw new RowSecurityError(schema, open);
}

function noAnswer(): ConnectionError {
  return new ConnectionError(`the database did not answer within ${DEFAULT_BOUND_MS} ms`);
}

function toCheckpointError(reason: unknown): CheckpointError {
  const error = toDatabaseError(reason);
  return error instanceof CheckpointError ? error : new DatabaseError(error.message, { cause: error });
}
