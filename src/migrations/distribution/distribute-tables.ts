import {
  type OpenTransaction,
  type Tables,
  DEFAULT_LOCK_TIMEOUT_MS,
  inLockedTransaction,
  withRowSecurityOff,
} from "../in-locked-transaction.js";
import { type Kysely, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { plainKysely } from "../../db/kysely/plain-kysely.js";
import { InvalidConfigError } from "../../errors/index.js";
import {
  type DistributionChange,
  distributeRest,
  planDistributing,
  planUndistributing,
  refuseMissing,
  textsOf,
  withMissingTables,
} from "./distribution-plan.js";
import { distributionStatus, type DistributionStatus } from "./distribution-state.js";

/**
 * The options of {@link undistributeTables}.
 *
 * @experimental
 */
export interface UndistributeOptions {
  /** The schema that holds the tables. Default: `public`. */
  readonly schema?: string;
  /** How long to wait for another migration, and for table locks, in milliseconds. Default: 60,000. */
  readonly lockTimeoutMs?: number | undefined;
}

/**
 * The options of {@link distributeTables}.
 *
 * @experimental
 */
export interface DistributeOptions extends UndistributeOptions {
  /**
   * The number of shards of each table, from 1 to 64,000. It limits the number of nodes, and a change copies all rows. Default: the
   * setting `citus.shard_count`, which is 32.
   */
  readonly shards?: number | undefined;
}

const MAX_SHARDS = 64_000;

/**
 * Distributes the migrated tables of savers over the nodes of a Citus cluster, by `thread_id`: all rows of a thread are on one node.
 * Rows are copied to the nodes, and writers wait until that has ended. It is one transaction: if it is interrupted, nothing is changed.
 * Tables that are distributed already stay as they are. The tables of stores, caches and checkpoint stores stay on the coordinator.
 *
 * @param db - A Kysely on the coordinator, with a role that owns the tables; or a transaction, which the caller then commits.
 * @returns The names of the tables that this call has distributed.
 * @throws InvalidConfigError for an invalid number of shards.
 * @throws MigrationRequiredError if the tables are missing: migrate first.
 * @throws MigrationError if the database is not that of a coordinator of Citus 12 or later, if the tables are distributed in another
 *   way, or if the wait for a lock takes too long.
 * @throws PermissionError if the role does not own the tables.
 *
 * @example
 * ```ts
 * await migrateToLatest(db, { schema: "agents" });
 * console.log(await distributeTables(db, { schema: "agents", shards: 64 }));
 * ```
 *
 * @experimental
 */
export async function distributeTables(
  db: Kysely<CheckpointDatabase>,
  options: DistributeOptions = {},
): Promise<readonly string[]> {
  const shards = checkedShards(options.shards);
  return change(db, options, (status) => {
    const planned = planDistributing(status, shards);
    refuseMissing(status);
    return planned;
  });
}

/**
 * Undoes {@link distributeTables}: moves all rows to the coordinator, which needs the disk for them, and makes its tables plain ones
 * again. Writers wait until that has ended. It is one transaction.
 *
 * @returns The names of the tables that were distributed.
 * @throws MigrationError if the database is not that of a coordinator of Citus, or if the wait for a lock takes too long.
 * @throws PermissionError if the role does not own the tables.
 *
 * @example
 * ```ts
 * await undistributeTables(db, { schema: "agents" });
 * ```
 *
 * @experimental
 */
export async function undistributeTables(
  db: Kysely<CheckpointDatabase>,
  options: UndistributeOptions = {},
): Promise<readonly string[]> {
  return change(db, options, planUndistributing);
}

/**
 * Returns the SQL that {@link distributeTables} would run in one transaction, without running it. Empty where nothing is to do. For
 * tables that are missing it is the SQL to run after the migration.
 *
 * @throws MigrationError where the tables can't be distributed.
 *
 * @example
 * ```ts
 * console.log(await planDistribution(db, { schema: "agents" }));
 * ```
 *
 * @experimental
 */
export async function planDistribution(
  db: Kysely<CheckpointDatabase>,
  { schema = "public", shards }: DistributeOptions = {},
): Promise<string[]> {
  const wanted = checkedShards(shards);
  const status = await distributionStatus(db, { schema });
  return textsOf(planDistributing(withMissingTables(status), wanted));
}

/**
 * Returns the SQL that {@link undistributeTables} would run in one transaction, without running it. Empty where nothing is to do.
 *
 * @throws MigrationError without Citus.
 *
 * @experimental
 */
export async function planUndistribution(
  db: Kysely<CheckpointDatabase>,
  { schema = "public" }: UndistributeOptions = {},
): Promise<string[]> {
  return textsOf(planUndistributing(await distributionStatus(db, { schema })));
}

/**
 * Makes the rest of the transaction change the shards of a table one by one, where tables are distributed. After a change of all at once,
 * Citus creates no function in the same transaction.
 */
export async function changeShardsInTurn(transaction: OpenTransaction, schema: string): Promise<void> {
  const { tables } = await distributionStatus(transaction, { schema });
  if (!tables.some(({ column }) => column === "thread_id")) return;
  await sql`select set_config('citus.multi_shard_modify_mode', 'sequential', true)`.execute(transaction);
}

/** Distributes tables that a migration has just created, where the others are distributed. */
export async function distributeNewTables(transaction: OpenTransaction, schema: string): Promise<void> {
  const status = await distributionStatus(transaction, { schema });
  if (!status.tables.some(({ column }) => column === "thread_id")) return;
  await run(transaction, distributeRest(status));
}

async function change(
  db: Tables,
  { schema = "public", lockTimeoutMs = DEFAULT_LOCK_TIMEOUT_MS }: UndistributeOptions,
  plan: (status: DistributionStatus) => DistributionChange,
): Promise<readonly string[]> {
  const plain = plainKysely(db);
  // Refuses before it waits for a lock.
  if (plan(await distributionStatus(plain, { schema })).statements.length === 0) return [];
  return inLockedTransaction(plain, schema, lockTimeoutMs, async (transaction) => {
    const planned = plan(await distributionStatus(transaction, { schema }));
    await run(transaction, planned);
    return planned.tables;
  });
}

async function run(transaction: OpenTransaction, { statements }: DistributionChange): Promise<void> {
  // Rows that policies hide from the role would not be copied.
  await withRowSecurityOff(transaction, async () => {
    for (const statement of statements) await statement.execute(transaction);
  });
}

function checkedShards(shards: number | undefined): number | undefined {
  if (shards === undefined) return undefined;
  if (Number.isInteger(shards) && shards >= 1 && shards <= MAX_SHARDS) return shards;
  throw new InvalidConfigError("shards", `must be a whole number from 1 to ${MAX_SHARDS}`);
}
