import { sql, type SqlBool } from "kysely";
import { SQLITE } from "../../db/statements/statement-dialect.js";
import type { RecordDialect, ZonedTimes } from "../sql/record-dialect.js";

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

const FRACTION = /\.?0*Z$/;

const STORED = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)?$/;

/**
 * The text that stores a time: what Go's driver for SQLite writes for it, without zeros at the end. So equal times are equal texts, and the
 * order of texts is that of the times, whichever program wrote them, as long as all are in UTC.
 */
function timeText(time: Date): string {
  return time.toISOString().replace("T", " ").replace(FRACTION, "+00:00");
}

/** Returns the time of a text that {@link timeText} or a program of Go wrote, cut to milliseconds. It is invalid where the text is no time. */
function parseTime(text: unknown): Date {
  const parts = typeof text === "string" ? STORED.exec(text) : null;
  if (parts === null) return new Date(NaN);
  const [, date = "", time = "", fraction = "", zone = "Z"] = parts;
  return new Date(`${date}T${time}.${fraction.slice(0, 3).padEnd(3, "0")}${zone}`);
}
