import { sql, type SqlBool } from "kysely";
import { SQLITE } from "../../db/statements/statement-dialect.js";
import type { RecordDialect, ZonedTimes } from "../sql/record-dialect.js";
import { parseTime, timeText } from "./time-text.js";

/** How times are sorted that programs of Go have stored in the zone of their machine. */
export const ZONED: ZonedTimes = {
  // The partial indexes that `setup` creates have the same expression.
  isElsewhere: (column) => sql<SqlBool>`substr(${column}, -6) <> '+00:00'`,
  instantOf: (column) => sql<number>`julianday(${column})`,
};

/** SQLite. JSON and times are texts, as langgraphgo stores them. */
export const SQLITE_RECORDS: RecordDialect = {
  statements: SQLITE,
  // Programs of Go can't read NULL.
  noMetadata: "null",
  toJson: (text) => text,
  fromJson: (column) => sql<string>`${column}`,
  convertsColumns: false,
  toTime: (text) => text,
  fromTime: (column) => sql<string>`${column}`,
  // As SQLite compares texts anyway.
  bytesOf: (id) => id,
  timeText,
  parseTime,
  zoned: ZONED,
};
