const short = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

/** `120 ms`, `1.8 s`, `20 min`, `2.5 h` */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${short.format(ms / 1_000)} s`;
  if (ms < 3_600_000) return `${short.format(ms / 60_000)} min`;
  return ms < 86_400_000 ? `${short.format(ms / 3_600_000)} h` : `${short.format(ms / 86_400_000)} d`;
}
