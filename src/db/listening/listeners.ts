import type pg from "pg";
import { InvalidConfigError } from "../../errors/index.js";
import { listenLikePool } from "./listen-like-pool.js";
import { Listener, type ListeningConnection } from "./listener.js";
import type { OnNotification } from "../sessions/connect-like-pool.js";

/** One listener for each open database of the process, so that all savers on it share a connection. */
const known = new WeakMap<object, Listener>();

const NO_LISTEN =
  "this PGlite has no `listen` method and can't be watched, as in a worker or behind a wrapper";

/** Returns the listener of a pool, which uses a connection outside the pool. */
export function listenerOfPool(pool: pg.Pool): Listener {
  return listenerOf(pool, () => new Listener((onNotification) => listenLikePool(pool, onNotification)));
}

/**
 * Returns the listener of an instance of PGlite.
 *
 * @param open - Opens the instance, or returns the open one.
 */
export function listenerOfPGlite(owner: object, open: () => Promise<object>): Listener {
  const listener = (): Listener =>
    new Listener(async (onNotification) => {
      const pglite = await open();
      if (!canListen(pglite)) throw new InvalidConfigError("source", NO_LISTEN);
      return listenOnPGlite(pglite, onNotification);
    });
  return listenerOf(owner, listener);
}

function listenerOf(database: object, create: () => Listener): Listener {
  const listener = known.get(database) ?? create();
  known.set(database, listener);
  return listener;
}

function canListen(pglite: object): pglite is ListeningPGlite {
  return "listen" in pglite && "unlisten" in pglite;
}

/** The members of PGlite that a worker and wrappers may lack. */
interface ListeningPGlite {
  listen(channel: string, onNotification: (payload: string) => void): Promise<unknown>;
  unlisten(channel: string): Promise<void>;
}

/** Listens on an instance of PGlite, whose one connection receives all notifications. */
function listenOnPGlite(pglite: ListeningPGlite, onNotification: OnNotification): ListeningConnection {
  return {
    // PGlite has no connection to lose.
    lost: new AbortController().signal,
    change: async ({ listen, unlisten }) => {
      for (const channel of unlisten) await pglite.unlisten(channel);
      for (const channel of listen) {
        await pglite.listen(channel, (payload) => {
          onNotification(channel, payload);
        });
      }
    },
    close: () => Promise.resolve(),
  };
}
