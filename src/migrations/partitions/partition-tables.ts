import {
  type Tables,
  DEFAULT_LOCK_TIMEOUT_MS,
  inLockedTransaction,
  describeHolders,
  withRowSecurityOff,
} from "../in-locked-transaction.js";
import { type Kysely, sql } from "kysely";
import { growingPauses, retry } from "../../db/async/retry.js";
import { withinTime } from "../../db/async/within-time.js";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { toDatabaseError } from "../../db/to-database-error.js";
import { plainKysely } from "../../db/kysely/plain-kysely.js";
import { DatabaseError, InvalidConfigError, MigrationError } from "../../errors/index.js";
import type { MigrateOptions } from "../migrate.js";
import { refuseNodes } from "./partition-plan.js";
import { makeStep, type StepResult, type TableProgress } from "./conversion-step.js";
import { parseLayout, type PartitionLayout } from "./partition-layout.js";

/** The options of {@link partitionTables}. */
export interface PartitionOptions extends Pick<MigrateOptions, "schema" | "lockTimeoutMs"> {
  /** `hash:16` for 16 partitions of each table by the hash of `thread_id`, or `none` for one table again. */
  readonly layout: PartitionLayout;
  /** Called after each step. */
  readonly onProgress?: (progress: TableProgress) => void;
}

/** The result of {@link partitionTables}. */
export interface PartitionReport {
  readonly layout: PartitionLayout;
  /** Whether this call has replaced tables. If not, they had the layout already. */
  readonly isConverted: boolean;
  /** The number of rows of each replaced table that were compared with their copies. */
  readonly rows: Readonly<Record<string, number>>;
}

/**
 * How long a step waits for a lock. Whoever needs a lock on the same table waits behind it for as long. Shorter than the
 * `deadlock_timeout` of a server, so that in a deadlock the step ends, and never a writer.
 */
const LOCK_WAIT_MS = 400;
const PAUSES = growingPauses(50, 1_000);
/** A step that fails so is made again: it waited too long for a lock, or met a concurrent change. */
const REPEATED_STATES = new Set(["55P03", "40P01", "40001"]);

/**
 * Converts `checkpoints`, `checkpoint_writes` and `checkpoint_blobs` to hash partitions by `thread_id`, or back, while services
 * read and write them. New tables are created beside, triggers repeat each change in them, all rows are copied in the order of
 * their keys and compared with their copies, and at last the new tables replace the old ones within one short lock.
 *
 * It makes steps of a fraction of a second, each in a transaction of its own, and reads from the catalog how far it is. So it can be
 * ended anywhere, and called again to go on. Called with the layout that the tables have, it gives up a conversion under way.
 *
 * Until the end the tables need twice their disk space, which {@link planPartitions} tells before. See `docs/scale.md` for what
 * partitions cost and gain.
 *
 * @param db - A Kysely on the database, not a transaction. Its role owns the tables.
 * @throws InvalidConfigError for an unknown layout, or a transaction.
 * @throws MigrationError if the schema lacks tables; if something depends on a table, such as a view or a publication; if they are in shards
 *   on several servers; if others have the names that the conversion needs; if another process converts them to another layout; if rows
 *   differ from their copies; or if other transactions keep the tables locked for `lockTimeoutMs`. The tables work as before then.
 * @throws PermissionError if the role does not own the tables, or may not create tables in the schema.
 *
 * @example
 * ```ts
 * await partitionTables(db, { schema: "agents", layout: "hash:16", onProgress: console.log });
 * ```
 */
export async function partitionTables(
  db: Kysely<CheckpointDatabase>,
  { schema = "public", lockTimeoutMs = DEFAULT_LOCK_TIMEOUT_MS, layout, onProgress }: PartitionOptions,
): Promise<PartitionReport> {
  parseLayout(layout);
  if (db.isTransaction)
    throw new InvalidConfigError("db", "expected no transaction: each step needs its own");
  const plain = plainKysely(db);
  await refuseNodes(plain, schema);
  let limit = FIRST_LIMIT;
  let hasBegun = false;
  for (;;) {
    const startedAt = performance.now();
    const result = await repeatedly(lockTimeoutMs, () =>
      stepOf(plain, { schema, lockTimeoutMs, layout }, limit),
    );
    limit = nextLimit(limit, result, performance.now() - startedAt);
    if (result.kind === "given-up" && hasBegun && result.layout !== layout) throw isChanged(result.layout);
    hasBegun ||= result.kind === "begun" || result.kind === "moved";
    if (result.kind === "moved") onProgress?.(result);
    if (result.kind === "replaced") return { layout, isConverted: true, rows: result.rows };
    if (result.kind === "nothing") return { layout, isConverted: false, rows: {} };
  }
}

interface StepOptions {
  readonly schema: string;
  readonly lockTimeoutMs: number;
  readonly layout: PartitionLayout;
}

function stepOf(
  db: Tables,
  { schema, lockTimeoutMs, layout }: StepOptions,
  limit: number,
): Promise<StepResult> {
  return inLockedTransaction(db, schema, lockTimeoutMs, async (locked) => {
    await sql`select set_config('lock_timeout', ${`${LOCK_WAIT_MS}ms`}, true)`.execute(locked);
    return withRowSecurityOff(locked, () => makeStep(locked, schema, layout, limit));
  });
}

/** @throws MigrationError if a step fails because of other transactions for `limitMs`. */
async function repeatedly(limitMs: number, step: () => Promise<StepResult>): Promise<StepResult> {
  try {
    return await withinTime({ limitMs }, (over) =>
      retry(step, { pauseMs: PAUSES, over, afterError: (error) => isRepeated(toDatabaseError(error)) }),
    );
  } catch (error) {
    const failure = toDatabaseError(error);
    throw isRepeated(failure) ? isBusy(limitMs, failure) : failure;
  }
}

function isRepeated(failure: Error): failure is DatabaseError {
  return failure instanceof DatabaseError && REPEATED_STATES.has(failure.sqlState ?? "");
}

/** Two processes that want different layouts would give each other up for ever. */
function isChanged(layout: string | undefined): MigrationError {
  return new MigrationError(
    `another process converts the tables to ${layout ?? "another layout"} at the same time. Its conversion was given up as well, ` +
      "and the tables are as they were",
  );
}

function isBusy(limitMs: number, cause: DatabaseError): MigrationError {
  const holders = cause instanceof MigrationError ? cause.holders : [];
  const named = holders.length === 0 ? "" : `: ${describeHolders(holders)}`;
  return new MigrationError(
    `waited ${limitMs} ms for transactions that use the tables${named}. The conversion is not complete, and the tables work as ` +
      "before; run it again to continue, or wait longer: `lockTimeoutMs`, or `--lock-timeout`",
    { cause, sqlState: cause.sqlState, transient: true, holders },
  );
}

/** How long a step should take: writers wait for it only where they delete what it copies. */
const STEP_MS = 150;
const LARGEST_LIMIT = 8_192;

/** The number of rows of the first step of each phase. */
const FIRST_LIMIT = 64;

/** Adjusts the number of rows to the time that the last step took, since rows may have any size. */
export function nextLimit(limit: number, result: StepResult, tookMs: number): number {
  if (result.kind !== "moved" || result.isEnd) return FIRST_LIMIT;
  if (tookMs > STEP_MS) return Math.max(1, Math.floor(limit / 2));
  return tookMs < STEP_MS / 2 ? Math.min(LARGEST_LIMIT, limit * 2) : limit;
}
