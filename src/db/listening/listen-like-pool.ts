import type pg from "pg";
import { InvalidConfigError } from "../../errors/index.js";
import { LiveSession } from "../sessions/live-session.js";
import { connectLikePool, type OnNotification } from "../sessions/connect-like-pool.js";
import { withoutCredentials } from "../pool/pool-address.js";
import { resultTypes } from "../result-types.js";
import type { ListeningConnection } from "./listener.js";

const POOLER_PROBLEM =
  "notifications don't arrive through a pooler in transaction mode: connect the watching saver directly to the server";

/** Opens a connection outside a pool, with the pool's options, to listen on. */
export async function listenLikePool(
  pool: pg.Pool,
  onNotification: OnNotification,
): Promise<ListeningConnection> {
  let processId: unknown;
  const session = await LiveSession.open(async (onLost) => {
    const connection = await connectLikePool(pool, onLost, onNotification);
    processId = connection.processId;
    return connection;
  });
  try {
    await refuseSharedBackend(session, pool, processId);
  } catch (error) {
    await session.close("select 1");
    throw error;
  }
  return {
    lost: session.lost,
    change: async ({ listen, unlisten }) => {
      const statements = [
        ...unlisten.map((channel) => `unlisten "${channel}"`),
        ...listen.map((channel) => `listen "${channel}"`),
      ];
      if (statements.length > 0) await session.send(statements.join("; "));
    },
    // A pooler in session mode may give the connection to another client.
    close: () => session.close("unlisten *"),
  };
}

const BACKEND = "select pg_backend_pid() as pid";
const ATTEMPTS = 3;

/**
 * Refuses a pooler in transaction mode: only there can another connection get the backend of this one while
 * it is idle. Most poolers give the next client the backend that was used last.
 */
async function refuseSharedBackend(session: LiveSession, pool: pg.Pool, processId: unknown): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const own = pidOf(await session.send(BACKEND));
    // The server itself reports the process id of the backend to every client.
    if (own === processId) return;
    if ((await pidOnPool(pool)) === own) throw new InvalidConfigError("source", POOLER_PROBLEM);
  }
}

async function pidOnPool(pool: pg.Pool): Promise<unknown> {
  try {
    return pidOf((await pool.query({ text: BACKEND, types: resultTypes() })).rows);
  } catch (error) {
    throw withoutCredentials(error, pool);
  }
}

function pidOf([row]: readonly unknown[]): unknown {
  return typeof row === "object" && row !== null && "pid" in row ? row.pid : undefined;
}
