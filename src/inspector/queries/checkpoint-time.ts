import { type Expression, type RawBuilder, sql } from "kysely";
import { isUuid6 } from "../../saver/queries/is-uuid6.js";

/** The time in the header of a checkpoint whose id contains none; `null` for others, whose header need not be read. */
export function timeInHeader(checkpointId: Expression<string>, checkpoint: Expression<unknown>) {
  return sql<string | null>`case when ${isUuid6(checkpointId)} then null else ${checkpoint} ->> 'ts' end`;
}

/**
 * The id that a checkpoint would have by its time: its own, or the first UUID of version 6 of the time in its header. Ids of this form
 * have the order of time.
 */
export function idOfTime(
  checkpointId: Expression<string>,
  ts: Expression<string | null>,
): RawBuilder<string> {
  // UUIDs count steps of 100 ns since 15 October 1582, in 60 bits.
  const ticks = sql`lpad(to_hex((extract(epoch from ${ts}::timestamptz) * 10000000)::bigint + 122192928000000000), 15, '0')`;
  const id = sql`overlay(overlay(${ticks} placing '-6' from 13 for 0) placing '-' from 9 for 0)`;
  return sql<string>`case when ${ts} is null then ${checkpointId} else ${id} end collate "C"`;
}
