/** What is reported of a series of durations, all in milliseconds. */
export interface Summary {
  readonly medianMs: number;
  /** Nineteen of twenty runs took longer. */
  readonly p5Ms: number;
  /** Nineteen of twenty runs took less. */
  readonly p95Ms: number;
  readonly rounds: number;
}

/** The median of durations and how far they spread. The mean is left out: one pause of the machine decides it. */
export function summarize(timesMs: readonly number[]): Summary {
  const sorted = timesMs.toSorted((a, b) => a - b);
  return {
    medianMs: quantile(sorted, 0.5),
    p5Ms: quantile(sorted, 0.05),
    p95Ms: quantile(sorted, 0.95),
    rounds: sorted.length,
  };
}

/** The value below which a share of sorted values lies, between two neighbours by their distance. */
export function quantile(sorted: readonly number[], share: number): number {
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)];
  const above = sorted[Math.ceil(position)];
  if (below === undefined || above === undefined) throw new RangeError("a quantile of no values");
  return below + (above - below) * (position % 1);
}
