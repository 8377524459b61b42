/** How a measurement reaches the server. */
export interface Route {
  /** How far client and server are apart, one way; 0 without a proxy. */
  readonly latencyMs: number;
  /** The connection string to take in place of the one that leads directly to a database. */
  via(url: string): string;
}

/** Without a proxy. */
export const DIRECT: Route = { latencyMs: 0, via: (url) => url };

/** How often something is done. */
export interface Turns {
  /** Before, and not counted. */
  readonly warmUps: number;
  readonly rounds: number;
}

/** What is timed so often is over in a millisecond: then it also counts whether V8 has compiled it, as in a service. */
const SHORT = 100;
const UNTIL_COMPILED = 1_000;

/** Fewer turns at a distance: the official saver takes seconds for what takes a thousand round trips. */
export function turnsOn({ latencyMs }: Route, rounds: number): Turns {
  if (latencyMs > 0) {
    const counted = Math.min(rounds, Math.max(2, Math.ceil(rounds / 4)));
    return { warmUps: Math.ceil(counted / 4), rounds: counted };
  }
  return { warmUps: rounds < SHORT ? Math.ceil(rounds / 4) : UNTIL_COMPILED, rounds };
}
