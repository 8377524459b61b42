import { AsyncLocalStorage } from "node:async_hooks";
import pg from "pg";

/** The number of connections that one operation has taken. */
interface Tally {
  connections: number;
}

const tallies = new AsyncLocalStorage<Tally>();

/** Counts the connections that the calls in `run` request. */
export async function countConnections<T>(
  run: () => Promise<T>,
): Promise<{ result: T; connections: number }> {
  const tally: Tally = { connections: 0 };
  const result = await tallies.run(tally, run);
  return { result, connections: tally.connections };
}

/** A pool that counts for {@link countConnections}. Each attempt of a saver takes one connection. */
export class CountingPool extends pg.Pool {
  override connect(): Promise<pg.PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | void {
    const tally = tallies.getStore();
    if (tally !== undefined) tally.connections++;
    if (callback === undefined) return super.connect();
    super.connect(callback);
  }
}

type ConnectCallback = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  done: (release?: boolean | Error) => void,
) => void;
