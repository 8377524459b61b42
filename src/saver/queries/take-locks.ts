import { sql } from "kysely";
import { advisoryKey } from "../../db/locks/advisory-key.js";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import { InvalidConfigError } from "../../errors/index.js";

/** A lock that a transaction keeps until it ends. */
export interface TransactionLock {
  /** What is locked; see {@link advisoryKey}. */
  readonly name: readonly [purpose: string, ...parts: string[]];
  /** Whether other transactions may share the lock. */
  readonly shared: boolean;
}

/**
 * Takes locks that end with the transaction. It takes them in the order of their numbers, so that concurrent
 * transactions can't deadlock (C2).
 */
export function takeLocks(schema: string, locks: readonly TransactionLock[]): BoundStatement<LockRow> {
  const byKey = new Map<bigint, boolean>();
  for (const { name, shared } of locks) {
    const [purpose, ...parts] = name;
    const key = advisoryKey(purpose, schema, ...parts);
    byKey.set(key, shared && (byKey.get(key) ?? true));
  }
  const entries = [...byKey].sort(([a], [b]) => (a < b ? -1 : 1));
  return takeAll.bind(schema, {
    keys: entries.map(([key]) => String(key)),
    areShared: entries.map(([, shared]) => shared),
  });
}

/** Reads the isolation level of the transaction for {@link refuseSnapshots}, where there is no lock to take. */
export function readIsolation(schema: string): BoundStatement<LockRow> {
  return isolation.bind(schema, {});
}

const isolation = new Statement<object, LockRow>((db) =>
  db.selectNoFrom(sql<string>`current_setting('transaction_isolation')`.as("isolation")),
);

/** A lock that was taken. */
export interface LockRow {
  /** The isolation level of the transaction, as Postgres names it. */
  readonly isolation: string;
}

/**
 * Refuses a transaction whose statements all see the snapshot of its first one. They would not see what others
 * committed before the locks were granted (C11).
 *
 * @param needing - The part that requires it, for the error.
 * @throws InvalidConfigError for such a transaction.
 */
export function refuseSnapshots(
  rows: readonly Pick<LockRow, "isolation">[],
  needing = '"concurrency" and "keepTombstones" need',
): void {
  const level = rows.find(({ isolation }) => !SEES_COMMITTED.has(isolation))?.isolation;
  if (level === undefined) return;
  throw new InvalidConfigError(
    "source",
    `${needing} a transaction that is read committed, and the one that was passed in is ${level}`,
  );
}

/** Postgres treats the second like the first. */
const SEES_COMMITTED: ReadonlySet<string> = new Set(["read committed", "read uncommitted"]);

interface LockParams {
  readonly keys: readonly string[];
  readonly areShared: readonly boolean[];
}

const takeAll = new Statement<LockParams, LockRow>((db, parameter) =>
  db
    .selectFrom(
      sql<{ key: string; is_shared: boolean }>`unnest(
        ${parameter("keys")}::text[]::bigint[], ${parameter("areShared")}::boolean[]
      )`.as<"lock">(sql`lock(key, is_shared)`),
    )
    .select(sql<string>`current_setting('transaction_isolation')`.as("isolation"))
    .select(
      sql<null>`case when lock.is_shared then pg_advisory_xact_lock_shared(lock.key)
        else pg_advisory_xact_lock(lock.key) end`.as("taken"),
    ),
);
