import { type Expression, type RawBuilder, sql } from "kysely";
import { isUuid6 } from "../../saver/queries/header-parts.js";

/** The time in the header of a checkpoint whose id contains none; `null` for others, whose header need not be read. */
export function timeInHeader(checkpointId: Expression<string>, checkpoint: Expression<unknown>) {
  return sql<string | null>`case when ${isUuid6(checkpointId)} then null else ${checkpoint} ->> 'ts' end`;
}

/** A time as both engines write it, and as Postgres reads it, except for the number of days in a month. */
const ISO_TIME =
  "^(?!0000)\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])" +
  "[T ]([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d([.]\\d{1,9})?(Z|[+-](0\\d|1[0-4]):[0-5]\\d)?$";

/**
 * The id that a checkpoint would have by its time: its own, or the first UUID of version 6 of the time in its header. Ids of this form
 * have the order of time. A damaged time counts as none, because an error of the cast would hide all threads.
 */
export function idOfTime(
  checkpointId: Expression<string>,
  ts: Expression<string | null>,
): RawBuilder<string> {
  // The days are added to the first of the month, so that the 31st of June is no error.
  const time = sql`((left(${ts}, 8) || '01' || substr(${ts}, 11))::timestamptz + (substr(${ts}, 9, 2)::integer - 1) * interval '24 hours')`;
  // UUIDs count steps of 100 ns since 15 October 1582, in 60 bits.
  const ticks = sql`lpad(to_hex((extract(epoch from ${time}) * 10000000)::bigint + 122192928000000000), 15, '0')`;
  const id = sql`overlay(overlay(${ticks} placing '-6' from 13 for 0) placing '-' from 9 for 0)`;
  return sql<string>`case when ${ts} ~ ${sql.lit(ISO_TIME)} then ${id} else ${checkpointId} end collate "C"`;
}
