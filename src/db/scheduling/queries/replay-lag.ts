import { sql } from "kysely";
import { timeText } from "../../number-text.js";
import { Statement } from "../../statements/statement.js";

/** How far the replicas of a server are behind. */
export interface ReplayLagRow {
  /** The lag of the slowest one, in milliseconds, as text. `null` without replicas, and where all of them have replayed everything. */
  readonly lag_ms: string | null;
  /** Whether the role may not see the lag: it needs the privileges of `pg_monitor`. */
  readonly is_hidden: boolean;
}

/** Reads how far the replicas are behind that are connected to the server. */
export const replayLag = new Statement<object, ReplayLagRow>((db) =>
  db.selectNoFrom([
    sql<string | null>`(select ${timeText(sql`max(replay_lag)`)} from pg_catalog.pg_stat_replication)`.as(
      "lag_ms",
    ),
    sql<boolean>`exists (select from pg_catalog.pg_stat_replication where state is null)`.as("is_hidden"),
  ]),
);
