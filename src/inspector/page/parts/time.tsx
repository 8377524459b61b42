import { useEffect, useState } from "preact/hooks";

/** Shows a time, in milliseconds since 1970: its age, with the time in the zone of this browser as title. */
export function Time({ at }: { readonly at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={localTime(at)}>
      {ageText(at)}
    </time>
  );
}

const UNITS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, ms: number])[] = [
  ["year", 365 * 86_400_000],
  ["month", 30 * 86_400_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
];
const local = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "long" });

/** `Mar 1, 2026, 5:03:00 PM GMT+1`: the time in the zone of this browser. */
export function localTime(at: number): string {
  return local.format(at);
}

const format = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** `5 minutes ago` */
export function ageText(at: number): string {
  const ms = Date.now() - at;
  const [unit, size] = UNITS.find(([, length]) => Math.abs(ms) >= length) ?? ["second", 1_000];
  return format.format(-Math.round(ms / size), unit);
}

/** Renders again every few milliseconds, for ages. */
export function useTick(everyMs: number): void {
  const [, setTicks] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => {
      setTicks((ticks) => ticks + 1);
    }, everyMs);
    return () => {
      clearInterval(timer);
    };
  }, [everyMs]);
}
