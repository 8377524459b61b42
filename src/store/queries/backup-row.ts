import { type Expression, type RawBuilder, sql } from "kysely";
import type { ItemKey } from "./item-keys.js";

/** A row of `store` as a backup has it. */
export interface BackupRow extends ItemKey {
  /** The value as the JSON text that Postgres prints. */
  readonly value: string;
  /** Times in UTC, to the microsecond. */
  readonly created_at: string | null;
  readonly updated_at: string | null;
  readonly expires_at: string | null;
  /** How long the item lives when its time starts again. */
  readonly ttl_minutes: number | null;
  readonly version: number;
}

/** A time as text, exact and in UTC whatever the settings of the session are. `infinity` has no digits. */
export function exactTime(time: Expression<unknown>): RawBuilder<string | null> {
  return sql<string | null>`case when isfinite(${time})
    then to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') else ${time}::text end`;
}
