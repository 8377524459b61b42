import type pg from "pg";
import { ConnectionError } from "../../errors/index.js";
import { clientClassOf } from "../pool/client-like.js";
import { withoutCredentials } from "../pool/pool-address.js";
import { resultTypes } from "../result-types.js";
import type { SessionConnection } from "./live-session.js";
import { noop } from "../async/noop.js";

/** When to ask a silent server whether it is still reachable, in milliseconds. */
const KEEP_ALIVE_AFTER_MS = 10_000;

/** The connection timeout where the pool has none, in milliseconds. */
const DEFAULT_CONNECTION_TIMEOUT_MS = 10_000;

/** Receives a notification of `pg_notify` on a channel that the connection listens to. */
export type OnNotification = (channel: string, payload: string) => void;

/**
 * Opens a connection outside `pool` with the pool's options. Locks that are held for long must not occupy the
 * connections that their holders need.
 */
export async function connectLikePool(
  pool: pg.Pool,
  onLost: (error: unknown) => void,
  onNotification?: OnNotification,
): Promise<SessionConnection> {
  if (pool.ending) throw new ConnectionError("the pool has been ended", { transient: false });
  const Client = clientClassOf(pool);
  const client = new Client({
    ...pool.options,
    // The pool makes this property non-enumerable.
    password: pool.options.password,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    connectionTimeoutMillis: connectionTimeoutMs(pool),
  });
  let isClosed = false;
  const onEnd = (error: Error): void => {
    if (!isClosed) onLost(error);
  };
  client.on("error", onEnd);
  client.on("end", () => {
    onEnd(new Error("the connection has ended"));
  });
  if (onNotification !== undefined) {
    client.on("notification", ({ channel, payload = "" }) => {
      onNotification(channel, payload);
    });
  }
  const close = (): void => {
    isClosed = true;
    client.end().catch(noop);
  };
  try {
    await client.connect();
  } catch (error) {
    close();
    throw withoutCredentials(error, pool);
  }
  // A process that only holds locks has nothing else to do, and ends. One that listens waits for notifications.
  const waitsAlone = onNotification === undefined && isRefable(client);
  const types = resultTypes(client);
  const processId: unknown = Reflect.get(client, "processID");
  return {
    processId,
    send: async (sql) => {
      if (waitsAlone) client.ref();
      try {
        return (await client.query<Row>({ text: sql, types })).rows;
      } finally {
        if (waitsAlone) client.unref();
      }
    },
    close,
  };
}

/**
 * Replaces 0, which means no timeout: the client would wait forever for a server that accepts the connection
 * and stays silent.
 */
function connectionTimeoutMs({ options }: pg.Pool): number {
  const { connectionTimeoutMillis: given = 0 } = options;
  return given === 0 ? DEFAULT_CONNECTION_TIMEOUT_MS : given;
}

type Row = Record<string, unknown>;

/** A client whose connection can stop keeping the process running. The types of pg leave that out, and pg-native lacks it. */
interface Refable {
  readonly ref: () => void;
  readonly unref: () => void;
}

function isRefable(client: object): client is Refable {
  return ["ref", "unref"].every((name) => typeof Reflect.get(client, name) === "function");
}
