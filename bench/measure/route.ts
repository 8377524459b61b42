/** The way from a measurement to the server. */
export interface Route {
  /** The distance between client and server, one way. 0 without a proxy. */
  readonly latencyMs: number;
  /** Returns the connection string that replaces the direct one of a database. */
  via(url: string): string;
}

/** The route without a proxy. */
export const DIRECT: Route = { latencyMs: 0, via: (url) => url };

/** The number of runs. */
export interface Turns {
  /** The runs before the timed ones. */
  readonly warmUps: number;
  readonly rounds: number;
}

/** The number of runs of an operation that takes less than a millisecond, after V8 has compiled it, as in a service. */
const SHORT = 100;
export const UNTIL_COMPILED = 1_000;

/** Fewer turns over a distance: the official saver takes seconds for a thousand round trips. */
export function turnsOn({ latencyMs }: Route, rounds: number): Turns {
  if (latencyMs > 0) {
    const counted = Math.min(rounds, Math.max(2, Math.ceil(rounds / 4)));
    return { warmUps: Math.ceil(counted / 4), rounds: counted };
  }
  return { warmUps: rounds < SHORT ? Math.ceil(rounds / 4) : UNTIL_COMPILED, rounds };
}
