const FRACTION = /\.?0*Z$/;
const STORED = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)?$/;

/**
 * The text that stores a time: what Go's driver for SQLite writes for it, without zeros at the end. So equal times are equal texts, and the
 * order of texts is that of the times, whichever program wrote them, as long as all are in UTC.
 */
export function timeText(time: Date): string {
  return time.toISOString().replace("T", " ").replace(FRACTION, "+00:00");
}

/** Returns the time of a text that {@link timeText} or a program of Go wrote, cut to milliseconds. It is invalid where the text is no time. */
export function parseTime(text: unknown): Date {
  const parts = typeof text === "string" ? STORED.exec(text) : null;
  if (parts === null) return new Date(NaN);
  const [, date = "", time = "", fraction = "", zone = "Z"] = parts;
  return new Date(`${date}T${time}.${fraction.slice(0, 3).padEnd(3, "0")}${zone}`);
}
