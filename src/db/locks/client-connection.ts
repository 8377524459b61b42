import type pg from "pg";
import { ConnectionError } from "../../errors/index.js";
import { clientClassOf } from "../pool/client-class.js";
import { withoutCredentials } from "../pool/pool-address.js";
import type { LockConnection } from "./lock-connection.js";

/** When to ask a silent server whether it is still there, in milliseconds. */
const KEEP_ALIVE_AFTER_MS = 10_000;

/** How long a server has to take up a connection where its pool does not say, in milliseconds. */
const CONNECTED_WITHIN_MS = 10_000;

/** Hears what is told by `pg_notify` on a channel that its connection listens to. */
export type HearNotification = (channel: string, payload: string) => void;

/**
 * Opens a connection like those of `pool`, beside them: locks that are held for long must not eat up the connections that
 * their holders need.
 */
export async function connectLikePool(
  pool: pg.Pool,
  onLost: (error: unknown) => void,
  hear?: HearNotification,
): Promise<LockConnection> {
  if (pool.ending) throw new ConnectionError("the pool has been ended", { transient: false });
  const Client = clientClassOf(pool);
  const client = new Client({
    ...pool.options,
    // The pool hides it from enumeration.
    password: pool.options.password,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    connectionTimeoutMillis: connectedWithinMs(pool),
  });
  let isClosed = false;
  const onEnd = (error: Error): void => {
    if (!isClosed) onLost(error);
  };
  client.on("error", onEnd);
  client.on("end", () => {
    onEnd(new Error("the connection has ended"));
  });
  if (hear !== undefined) {
    client.on("notification", ({ channel, payload = "" }) => {
      hear(channel, payload);
    });
  }
  const close = (): void => {
    isClosed = true;
    client.end().catch(ignore);
  };
  try {
    await client.connect();
  } catch (error) {
    close();
    throw withoutCredentials(error, pool);
  }
  const processId: unknown = Reflect.get(client, "processID");
  return {
    processId,
    send: async (sql) => (await client.query<Row>(sql)).rows,
    close,
  };
}

/** Without a bound, which 0 stands for, it would wait for ever for a server that takes the connection and says nothing. */
function connectedWithinMs({ options }: pg.Pool): number {
  const { connectionTimeoutMillis: given = 0 } = options;
  return given === 0 ? CONNECTED_WITHIN_MS : given;
}

type Row = Record<string, unknown>;

function ignore(): void {
  // It is gone already.
}
