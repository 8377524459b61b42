import { sql } from "kysely";
import { abortErrorOf } from "../../db/bounded-run.js";
import type { CheckpointTables } from "../../db/checkpoint-tables.js";
import { migrateCommand } from "../../db/migrate-command.js";
import { raceAgainst } from "../../db/race-against.js";
import { Statement } from "../../db/statement.js";
import { toDatabaseError } from "../../db/to-database-error.js";
import { withinTime } from "../../db/within-time.js";
import { CheckpointError, ConnectionError, DatabaseError, MigrationRequiredError } from "../../errors.js";
import { migrationStatus } from "../../migrations/migration-status.js";
import { parseSignal } from "../boundary/parse-call-options.js";
import { boundedKysely } from "./bounded-kysely.js";
import type { Health } from "./observing.js";

/** How long is waited where the caller does not say, in milliseconds. */
const DEFAULT_BOUND_MS = 2_000;

type Findings = { -readonly [Name in keyof Health]?: Health[Name] };

/** Looks whether checkpoints can be stored in the tables now; never rejects. */
export async function health(tables: CheckpointTables, options: unknown): Promise<Health> {
  const began = performance.now();
  const findings: Findings = {};
  let error: CheckpointError | undefined;
  try {
    const given = parseSignal(options);
    const limitMs = given === undefined ? DEFAULT_BOUND_MS : undefined;
    await withinTime({ signal: given, limitMs }, async (signal) => {
      const looking = look({ ...tables, signal }, findings, began);
      // It answers in time even if the server has to be asked to cancel what it was asked.
      await raceAgainst(signal, looking).catch((reason: unknown) => {
        if (!signal.aborted) throw reason;
        throw given === undefined ? silence() : abortErrorOf(given);
      });
    });
  } catch (reason) {
    error = toCheckpointError(reason);
  }
  const pool = tables.database.poolState?.();
  return {
    ok: error === undefined,
    latencyMs: performance.now() - began,
    ...findings,
    ...(pool && { pool }),
    ...(error && { error }),
  };
}

async function look(tables: CheckpointTables, findings: Findings, began: number): Promise<void> {
  const { database, schema, signal, statementTimeoutMs } = tables;
  if (database.closed) throw new ConnectionError("the database has been closed", { transient: false });
  const context = { signal, statementTimeoutMs };
  const [server] = await database.execute(serverState.bind("", {}), context);
  findings.latencyMs = performance.now() - began;
  findings.serverVersion = server?.version ?? "";
  findings.isReadOnly = server?.is_read_only ?? false;
  const { pending } = await migrationStatus(boundedKysely(database, context), { schema });
  findings.schema = { upToDate: pending.length === 0, pending };
  if (pending.length > 0) {
    const problem = `schema "${schema}" lacks ${pending.join(", ")}: run \`${migrateCommand(schema)}\``;
    throw new MigrationRequiredError(schema, problem, { pending });
  }
  if (findings.isReadOnly)
    throw new DatabaseError("the database takes no writes", { sqlState: "25006", transient: true });
}

const serverState = /* @__PURE__ */ new Statement<object, { version: string; is_read_only: boolean }>((db) =>
  db.selectNoFrom([
    sql<string>`current_setting('server_version')`.as("version"),
    // So it is on a standby, and where somebody has set it.
    sql<boolean>`current_setting('transaction_read_only')::boolean`.as("is_read_only"),
  ]),
);

function silence(): ConnectionError {
  return new ConnectionError(`the database has not answered within ${DEFAULT_BOUND_MS} ms`);
}

function toCheckpointError(reason: unknown): CheckpointError {
  const error = toDatabaseError(reason);
  return error instanceof CheckpointError ? error : new DatabaseError(error.message, { cause: error });
}
