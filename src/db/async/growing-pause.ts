/** The bounds of the pauses between attempts. */
export interface PauseBounds {
  /** The first pause, in milliseconds. */ readonly firstMs: number;
  /** The longest pause, in milliseconds. */ readonly longestMs: number;
}

/**
 * The pause after attempt number `round`, counted from 0, in milliseconds. It doubles with each attempt, less
 * up to half of it at random, so that callers that start together don't keep retrying together.
 */
export function growingPauseMs(round: number, { firstMs, longestMs }: PauseBounds): number {
  return Math.min(longestMs, firstMs * 2 ** round) * (0.5 + Math.random() / 2);
}
