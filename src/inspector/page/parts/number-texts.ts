const count = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const UNITS = ["B", "kB", "MB", "GB", "TB", "PB"];

/** `12,345` */
export function formatCount(value: number): string {
  return count.format(value);
}

/** `1 checkpoint`, `12,345 checkpoints`, `2 branches` */
export function countText(value: number, noun: string, nouns = `${noun}s`): string {
  return `${formatCount(value)} ${value === 1 ? noun : nouns}`;
}

/** `1.2 MB` */
export function formatBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(bytes, 1)) / 3)));
  return `${short.format(bytes / 1_000 ** power)} ${UNITS[power] ?? ""}`;
}

const brief = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

/** `120 ms`, `1.8 s`, `20 min`, `2.5 h` */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${brief.format(ms / 1_000)} s`;
  if (ms < 3_600_000) return `${brief.format(ms / 60_000)} min`;
  return ms < 86_400_000 ? `${brief.format(ms / 3_600_000)} h` : `${brief.format(ms / 86_400_000)} d`;
}
