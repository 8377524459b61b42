import type { ClientBase, Pool } from "pg";
import { clientClassOf, setClientClass } from "./client-class.js";

/**
 * Tracks the clients of a pool that are still connecting. `pg` ends a pool only when each of them has
 * connected or failed; with a silent server that takes the full connection timeout.
 *
 * @param pool - A pool that has no clients yet.
 * @returns A function that gives up the clients that are still connecting.
 */
export function trackConnectingClients(pool: Pool): () => void {
  const connecting = new Set<ClientBase>();
  setClientClass(
    pool,
    new Proxy(clientClassOf(pool), {
      construct: (...args) => {
        const client = Reflect.construct(...args) as ClientBase;
        const forget = (): void => {
          connecting.delete(client);
        };
        connecting.add(client);
        client.once("connect", forget);
        client.once("end", forget);
        return client;
      },
    }),
  );
  return () => {
    for (const client of connecting) destroyStreamOf(client);
  };
}

/** Does what the pool does after a connection timeout. pg's types leave these members out. */
function destroyStreamOf(client: ClientBase): void {
  const connection: unknown = Reflect.get(client, "connection");
  if (typeof connection !== "object" || connection === null) return;
  const stream: unknown = Reflect.get(connection, "stream");
  // Not an `instanceof Duplex`: the sockets of Cloudflare Workers are none.
  if (hasDestroy(stream)) stream.destroy();
}

function hasDestroy(stream: unknown): stream is { destroy(): unknown } {
  return (
    typeof stream === "object" && stream !== null && typeof Reflect.get(stream, "destroy") === "function"
  );
}
