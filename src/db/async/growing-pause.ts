/** How long is waited between attempts, in milliseconds. */
export interface PauseBounds {
  readonly firstMs: number;
  readonly longestMs: number;
}

/**
 * How long to wait after attempt number `round`, counted from 0, in milliseconds: twice as long each time, less by up to a
 * half at random, so that those who began together don't try together for ever.
 */
export function growingPauseMs(round: number, { firstMs, longestMs }: PauseBounds): number {
  return Math.min(longestMs, firstMs * 2 ** round) * (0.5 + Math.random() / 2);
}
