import { type CallContext, describeWithoutPolicy, commandsWithoutPolicy } from "../db/call-context.js";
import { isDistributed, hasNodes } from "../db/placement/placement.js";
import { orAborted } from "../db/statements/cancellation.js";
import { migrateCommand } from "../db/migrate-command.js";
import { readList, selectedList } from "../db/selected-list.js";
import {
  ConnectionError,
  DatabaseError,
  MigrationRequiredError,
  PermissionError,
  RowSecurityError,
} from "../errors/index.js";
import type { MigrationSet } from "../migrations/migration-set.js";
import { setStatus } from "../migrations/migration-status.js";
import type { ObservedOperation } from "../telemetry/running-calls.js";
import { type Health, type HealthFindings, reportHealth } from "./health.js";
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  sql,
} from "kysely";
import type { CheckpointDatabase } from "../db/checkpoint-database.js";
import type { OpenedDatabase } from "../db/opened-database.js";
import type { RunContext } from "../db/statements/transaction-steps.js";
import { statementName, Statement } from "../db/statements/statement.js";

const READ_ONLY_TRANSACTION = "25006";
const INSUFFICIENT_PRIVILEGE = "42501";

/** What a saver, a store or a cache needs in the database to store anything. */
interface HealthRequirements {
  /** What is stored, as an error names it, such as `checkpoints`. */
  readonly stored: string;
  /** The tables that must be up to date. */
  readonly sets: readonly MigrationSet[];
  /** All of its tables. With a tenant, each of them must separate tenants. */
  readonly tables: readonly string[];
  /** The privileges without which nothing can be stored, such as `insert on checkpoints`. Others are only reported. */
  readonly privileges: readonly string[];
}

/**
 * Checks whether something can be stored now. It never rejects.
 *
 * @param options - What the caller passed: its signal.
 */
export async function checkHealth(
  call: CallContext,
  requirements: HealthRequirements & { readonly operation: ObservedOperation },
  options: unknown,
): Promise<Health> {
  const health = await reportHealth(call, requirements.operation, options, {
    open: (signal) => openEmbedded(call, signal),
    check: (signal, findings) => checkStoring({ ...call, signal }, requirements, findings),
  });
  const pool = call.database.poolState?.();
  return { ...health, ...(pool && { pool }) };
}

/**
 * Opens a PGlite that was not used yet, outside of the time limit: opening keeps this process busy for seconds, during which no
 * timer could end the wait.
 */
export async function openEmbedded(
  { database }: CallContext,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (database.opening === undefined || database.closed) return;
  await orAborted(database.opening(), signal);
}

/**
 * Checks whether something can be stored now. It retries nothing.
 *
 * @param findings - Receives what is found out, also where the check rejects.
 * @throws CheckpointError that says why nothing can be stored, and what to run.
 */
export async function checkStoring(
  call: CallContext,
  requirements: HealthRequirements,
  findings: HealthFindings,
): Promise<void> {
  const began = performance.now();
  const { sets, tables } = requirements;
  const { database, schema, policy, signal } = call;
  if (database.closed) throw new ConnectionError("the database has been closed", { transient: false });
  const context = { signal, statementTimeoutMs: policy.statementTimeoutMs };
  const [server] = await database.execute(serverState.bind(schema, { schema, tables }), context);
  findings.latencyMs = performance.now() - began;
  if (server === undefined) throw new DatabaseError("the server sent no row");
  findings.serverVersion = server.version;
  findings.isReadOnly = server.is_read_only;
  const missing = readList(server.missing_privileges);
  findings.missingPrivileges = missing;
  const kysely = boundedKysely(database, context);
  const pending: string[] = [];
  const optional: string[] = [];
  for (const set of sets) {
    const status = await setStatus(kysely, schema, set);
    if (status.pending.length > 0) optional.push(...(set.optional === undefined ? [] : [set.optional]));
    pending.push(...status.pending);
  }
  findings.schema = { upToDate: pending.length === 0, pending };
  if (pending.length > 0) {
    const problem = `schema "${schema}" lacks ${pending.join(", ")}: run \`${migrateCommand(schema, optional, call.checkpointTable)}\``;
    throw new MigrationRequiredError(schema, problem, { pending });
  }
  if (server.is_read_only) {
    throw new DatabaseError("the database accepts no writes", {
      sqlState: READ_ONLY_TRANSACTION,
      transient: true,
    });
  }
  if (server.has_nodes && tables.includes("checkpoints")) findings.isDistributed = await askDistributed(call);
  requirePrivileges(call, requirements, { role: server.role, missing });
  requirePolicies(server);
  requireRowSecurity(call, requirements, server);
}

/** Without retries. The policies of tenants are checked afterwards, and do not hide the catalog. */
function askDistributed(call: CallContext): Promise<boolean> {
  const { statementTimeoutMs } = call.policy;
  return isDistributed({ ...call, policy: { retry: false, statementTimeoutMs } });
}

function requirePrivileges(
  { schema }: CallContext,
  { stored, privileges }: HealthRequirements,
  { role, missing }: { readonly role: string; readonly missing: readonly string[] },
): void {
  const lacking = missing.filter((privilege) => privileges.includes(privilege));
  if (lacking.length === 0) return;
  throw new PermissionError(
    `role "${role}" can't store ${stored} in schema "${schema}": it lacks ${lacking.join(", ")}. ` +
      "`npx langgraph-checkpoint-kysely doctor` prints the grants",
    { sqlState: INSUFFICIENT_PRIVILEGE },
  );
}

/** Without one that applies to the role, it sees nothing and every write is refused, whatever its privileges are. */
function requirePolicies({ without_policy }: ServerState): void {
  const hidden = readList(without_policy);
  if (hidden.length > 0) {
    throw new PermissionError(describeWithoutPolicy(hidden), { sqlState: INSUFFICIENT_PRIVILEGE });
  }
}

/** With a tenantId, every call is refused if the database does not separate tenants. */
function requireRowSecurity(
  { schema, policy: { tenantId } }: CallContext,
  { tables }: HealthRequirements,
  { secured_tables }: ServerState,
): void {
  if (tenantId === undefined) return;
  const secured = readList(secured_tables);
  const open = tables.filter((table) => !secured.includes(table));
  if (open.length > 0) throw new RowSecurityError(schema, open);
}

/** Makes a Kysely whose statements run with the deadline and signal of the context, whatever the database was opened from. */
export function boundedKysely(database: OpenedDatabase, context: RunContext): Kysely<CheckpointDatabase> {
  return new Kysely<CheckpointDatabase>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new BoundedDriver(database, context),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
}

class BoundedDriver extends DummyDriver implements Driver {
  readonly #connection: DatabaseConnection;

  constructor(database: OpenedDatabase, context: RunContext) {
    super();
    this.#connection = {
      executeQuery: async <Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> => ({
        rows: await database.execute<Row>({ name: statementName(sql), sql, parameters }, context),
      }),
      streamQuery: () => {
        throw new TypeError("boundedKysely does not support streaming");
      },
    };
  }

  override acquireConnection(): Promise<DatabaseConnection> {
    return Promise.resolve(this.#connection);
  }
}

/** The state of the server, and the privileges of the role on the tables of a schema. Lists are as `selectedList` selects them. */
interface ServerState {
  readonly version: string;
  readonly role: string;
  /** Whether it accepts no writes: it is a standby, or transactions are read-only by default. */
  readonly is_read_only: boolean;
  /** Whether the server may keep rows on nodes. */
  readonly has_nodes: boolean;
  /** The privileges that the role lacks on existing tables, such as `insert on checkpoints`. */
  readonly missing_privileges: string;
  /** The tables whose row-level security has no policy by which the role sees a row or may store one. */
  readonly without_policy: string;
  /** The tables whose row-level security applies to the role. */
  readonly secured_tables: string;
}

interface ServerStateParams {
  readonly schema: string;
  readonly tables: readonly string[];
}

/**
 * Reads the state of the server and the privileges of the role in one statement. It only queries the catalog, which needs no
 * privileges.
 */
const serverState = new Statement<ServerStateParams, ServerState>((db, parameter) => {
  const relations = sql`pg_catalog.pg_class as relation
    join pg_catalog.pg_namespace as namespace on namespace.oid = relation.relnamespace
    where namespace.nspname = ${parameter("schema")} and relation.relname = any (${parameter("tables")}::text[])`;
  return db.selectNoFrom([
    sql<string>`current_setting('server_version')`.as("version"),
    sql<string>`current_user::text`.as("role"),
    sql<boolean>`current_setting('transaction_read_only')::boolean`.as("is_read_only"),
    hasNodes().as("has_nodes"),
    selectedList(sql<string[]>`array(
      select privilege || ' on ' || relation.relname
      from unnest(array['select', 'insert', 'update', 'delete']) as privilege, ${relations}
        and not has_table_privilege(relation.oid, privilege)
      order by 1)`).as("missing_privileges"),
    selectedList(sql<string[]>`array(
      select relation.relname::text from ${relations}
        and array['select', 'insert'] && ${commandsWithoutPolicy(sql.ref<number>("relation.oid"))} order by 1)`).as(
      "without_policy",
    ),
    selectedList(sql<string[]>`array(
      select relation.relname::text from ${relations} and row_security_active(relation.oid) order by 1)`).as(
      "secured_tables",
    ),
  ]);
});
