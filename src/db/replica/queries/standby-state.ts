import { sql } from "kysely";
import { timeText } from "../../number-text.js";
import { Statement } from "../../statements/statement.js";

/** What a server says about its own replication. */
export interface StandbyState {
  /** The same for a server and its standbys, which are copies of one cluster. */
  readonly cluster: string;
  readonly database: string;
  readonly is_in_recovery: boolean;
  /** How long ago the newest commit that it has replayed was made, in milliseconds, as text, by the clocks of both servers. */
  readonly behind_ms: string | null;
  /** Whether it has replayed the position that was asked for. */
  readonly has_reached: boolean | null;
}

/** Reads how far a standby is. It needs no privileges. */
export const standbyState = new Statement<{ readonly position: string | null }, StandbyState>(
  (db, parameter) =>
    db.selectNoFrom([
      sql<string>`(select system_identifier::text from pg_control_system())`.as("cluster"),
      sql<string>`current_database()::text`.as("database"),
      sql<boolean>`pg_is_in_recovery()`.as("is_in_recovery"),
      timeText<string | null>(sql`clock_timestamp() - pg_last_xact_replay_timestamp()`).as("behind_ms"),
      sql<boolean | null>`pg_last_wal_replay_lsn() >= ${parameter("position")}::pg_lsn`.as("has_reached"),
    ]),
);
