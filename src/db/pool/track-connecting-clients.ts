import { Duplex } from "node:stream";
import type { ClientBase, Pool } from "pg";
import { clientClassOf, setClientClass } from "./client-class.js";

/**
 * Keeps track of the clients of a pool that wait for their server to take up the connection, as `pg` ends a pool only once
 * each of them has succeeded or failed: with a server that says nothing, that takes as long as its time-out.
 *
 * @param pool - One that has no clients yet.
 * @returns How to give up those that are not connected.
 */
export function trackConnecting(pool: Pool): () => void {
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

/** As the pool does when its time-out is over. What pg's types leave out. */
function destroyStreamOf(client: ClientBase): void {
  const connection: unknown = Reflect.get(client, "connection");
  if (typeof connection !== "object" || connection === null) return;
  const stream: unknown = Reflect.get(connection, "stream");
  if (stream instanceof Duplex) stream.destroy();
}
