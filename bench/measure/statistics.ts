/** The reported values of a series of durations, in milliseconds. */
export interface Summary {
  readonly medianMs: number;
  /** Nineteen of twenty runs took longer. */
  readonly p5Ms: number;
  /** Nineteen of twenty runs took less. */
  readonly p95Ms: number;
  readonly rounds: number;
}

/**
 * Returns the median and the spread of durations. It leaves out the mean, which a single pause of the machine would
 * decide.
 */
export function summarize(timesMs: readonly number[]): Summary {
  const sorted = timesMs.toSorted((a, b) => a - b);
  return {
    medianMs: quantile(sorted, 0.5),
    p5Ms: quantile(sorted, 0.05),
    p95Ms: quantile(sorted, 0.95),
    rounds: sorted.length,
  };
}

/** Returns the value below which a share of sorted values lies, interpolated between its neighbours. */
export function quantile(sorted: readonly number[], share: number): number {
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)];
  const above = sorted[Math.ceil(position)];
  if (below === undefined || above === undefined) throw new RangeError("a quantile of no values");
  return below + (above - below) * (position % 1);
}
