const UNITS = ["B", "kB", "MB", "GB", "TB"];
const SECOND = 1_000;
const TIMES = [
  ["day", 24 * 60 * 60 * SECOND],
  ["hour", 60 * 60 * SECOND],
  ["minute", 60 * SECOND],
] as const;

/** A number of bytes for people: `1.2 MB`. */
export function humanBytes(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${unit === 0 || value >= 99.95 ? value.toFixed(0) : value.toFixed(1)} ${UNITS[unit] ?? ""}`;
}

/** A number for people: `12,345`. */
export function humanCount(count: number): string {
  return count.toLocaleString("en");
}

/** A number with its noun: `1 thread`, `2,000 threads`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${humanCount(count)} ${count === 1 ? one : many}`;
}

/** A time for people, in UTC: `2026-03-01 12:00:05Z`. */
export function humanTime(time: Date): string {
  if (Number.isNaN(time.getTime())) return "unknown";
  return `${time.toISOString().slice(0, 19).replace("T", " ")}Z`;
}

/** A time for people with its age; `unknown` where a damaged row has none. */
export function timeAndAge(time: Date | undefined): string {
  return time === undefined ? "unknown" : `${humanTime(time)}  ${ago(time)}`;
}

/** How fast work is, and how long the rest of it takes: `, 3,400/s, 12 minutes left`. Empty in its first two seconds. */
export function pace(done: number, total: number | undefined, elapsedMs: number): string {
  if (done <= 0 || elapsedMs < 2 * SECOND) return "";
  const rate = `, ${humanCount(Math.max(1, Math.round((done * SECOND) / elapsedMs)))}/s`;
  return total === undefined ? rate : rate + timeLeft(done, total, elapsedMs);
}

/** How long the rest of work takes: `, 12 minutes left`. Empty in its first two seconds. */
export function timeLeft(done: number, total: number, elapsedMs: number): string {
  if (done <= 0 || done >= total || elapsedMs < 2 * SECOND) return "";
  const leftMs = (elapsedMs / done) * (total - done);
  const [unit, length] = TIMES.find(([, each]) => leftMs >= each) ?? (["second", SECOND] as const);
  return `, ${countOf(Math.ceil(leftMs / length), unit)} left`;
}

/** The age of a time: `3 minutes ago`. */
export function ago(time: Date, now = new Date()): string {
  const passed = now.getTime() - time.getTime();
  for (const [unit, length] of TIMES) {
    if (passed >= length) return `${countOf(Math.floor(passed / length), unit)} ago`;
  }
  return passed >= 0 ? "just now" : "in the future";
}
