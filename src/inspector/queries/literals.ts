import { sql } from "kysely";

/** The names of channels as literals of a statement, so that the planner knows them. */
export function literals(channels: readonly string[]) {
  return channels.map((channel) => sql.lit(channel));
}
