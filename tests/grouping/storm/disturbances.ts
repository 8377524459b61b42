import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import type { TestDatabase } from "../../../test-support/targets.js";
import type { Random } from "../../chaos/random.js";

/** The `application_name` of the connections that are terminated. */
export const STORM = "storm";

/** How long other sessions hold a lock at most, in milliseconds. */
const LONGEST_LOCK_MS = 250;

type Disturbance = (database: TestDatabase, random: Random, threads: readonly string[]) => Promise<void>;

/** Locks the rows of a thread for a while, as a `prune` or a session in `psql` does. */
const lockThread: Disturbance = async (database, random, threads) => {
  await database
    .kysely()
    .transaction()
    .execute(async (transaction) => {
      const threadId = random.pick(threads);
      await sql`select from checkpoints where thread_id = ${threadId} for update`.execute(transaction);
      await sql`select from checkpoint_writes where thread_id = ${threadId} for update`.execute(transaction);
      await pause(random.between(1, LONGEST_LOCK_MS));
    });
};

/** Locks a table for a while, as a change of the schema does. */
const lockTable: Disturbance = async (database, random) => {
  await database
    .kysely()
    .transaction()
    .execute(async (transaction) => {
      await sql`lock table ${sql.table(random.pick(["checkpoints", "checkpoint_writes"]))}`.execute(
        transaction,
      );
      await pause(random.between(1, LONGEST_LOCK_MS));
    });
};

/** Terminates a connection, whatever it does. */
const terminate: Disturbance = async (database, random) => {
  const state = random.pick(["active", "idle"]);
  await database.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = $1 and state = $2 limit 1`,
    [STORM, state],
  );
};

/** Draws what another session does beside the calls. */
export function anyDisturbance(random: Random): Disturbance {
  return random.pick([lockThread, lockThread, lockThread, lockTable, terminate, terminate]);
}
