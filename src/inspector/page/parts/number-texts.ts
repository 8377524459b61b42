const count = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const UNITS = ["B", "kB", "MB", "GB", "TB", "PB"];

/** `12,345` */
export function formatCount(value: number): string {
  return count.format(value);
}

/** `1 checkpoint`, `12,345 checkpoints`, `2 branches` */
export function counted(value: number, noun: string, nouns = `${noun}s`): string {
  return `${formatCount(value)} ${value === 1 ? noun : nouns}`;
}

/** `1.2 MB` */
export function formatBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(bytes, 1)) / 3)));
  return `${short.format(bytes / 1_000 ** power)} ${UNITS[power] ?? ""}`;
}
