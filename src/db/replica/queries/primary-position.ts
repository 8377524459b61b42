import { sql } from "kysely";
import { Statement } from "../../statements/statement.js";

/** Where the write-ahead log of a server ends. */
export interface PrimaryPosition {
  readonly cluster: string;
  readonly database: string;
  /** What a standby that has replayed everything has reached. `null` while the server itself is a standby. */
  readonly position: string | null;
}

/** Reads how far the primary is. It needs no privileges. */
export const primaryPosition = new Statement<object, PrimaryPosition>((db) =>
  db.selectNoFrom([
    sql<string>`(select system_identifier::text from pg_control_system())`.as("cluster"),
    sql<string>`current_database()::text`.as("database"),
    // Flushed, because a standby receives nothing else.
    sql<string | null>`case when pg_is_in_recovery() then null else pg_current_wal_flush_lsn()::text end`.as(
      "position",
    ),
  ]),
);
