import type pg from "pg";
import { InvalidConfigError } from "../../errors/index.js";
import { LiveSession } from "../pool/live-session.js";
import { connectLikePool, type HearNotification } from "../locks/client-connection.js";
import { withoutCredentials } from "../pool/pool-address.js";
import type { ListeningConnection } from "./listening-connection.js";

const POOLER_PROBLEM =
  "notifications don't arrive through a pooler in transaction mode: connect the watching saver to the server itself";

/** Opens a connection beside those of a pool, to listen on. */
export async function listenLikePool(pool: pg.Pool, hear: HearNotification): Promise<ListeningConnection> {
  let processId: unknown;
  const session = await LiveSession.open(async (onLost) => {
    const connection = await connectLikePool(pool, onLost, hear);
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
    // A pooler in session mode may hand the connection on.
    close: () => session.close("unlisten *"),
  };
}

const BACKEND = "select pg_backend_pid() as pid";
const QUESTIONS = 3;

/**
 * Refuses where another connection is given the backend of this one while it has nothing to do: only a pooler in
 * transaction mode does that, and most give the next who asks what was used last.
 */
async function refuseSharedBackend(session: LiveSession, pool: pg.Pool, processId: unknown): Promise<void> {
  for (let question = 0; question < QUESTIONS; question++) {
    const own = pidOf(await session.send(BACKEND));
    // The server itself tells every client the number of its backend.
    if (own === processId) return;
    if ((await askPool(pool)) === own) throw new InvalidConfigError("source", POOLER_PROBLEM);
  }
}

async function askPool(pool: pg.Pool): Promise<unknown> {
  try {
    return pidOf((await pool.query(BACKEND)).rows);
  } catch (error) {
    throw withoutCredentials(error, pool);
  }
}

function pidOf([row]: readonly unknown[]): unknown {
  return typeof row === "object" && row !== null && "pid" in row ? row.pid : undefined;
}
