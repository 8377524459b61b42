import { sql } from "kysely";
import { POSTGRES } from "../../db/statements/statement-dialect.js";
import type { RecordDialect } from "../sql/record-dialect.js";

/**
 * Postgres. Values come as text: a pool that was passed in may parse JSON and times in its own way.
 */
export const POSTGRES_RECORDS: RecordDialect = {
  statements: POSTGRES,
  noMetadata: null,
  toJson: (text) => sql`${text}::jsonb`,
  fromJson: (column) => sql<string>`${column}::text`,
  convertsColumns: true,
  toTime: (text) => sql<string>`${text}::timestamptz`,
  // In milliseconds. Programs of Go store microseconds.
  fromTime: (column) => sql<string>`floor(extract(epoch from ${column}) * 1000)::text`,
  // The table of a program of Go may have another collation.
  bytesOf: (id) => sql<string>`${id} collate "C"`,
  timeText: (time) => time.toISOString(),
  parseTime: (milliseconds) => new Date(Number(milliseconds)),
};
