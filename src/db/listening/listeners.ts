import type pg from "pg";
import { InvalidConfigError } from "../../errors/index.js";
import { listenLikePool } from "./listen-like-pool.js";
import { type ListeningPGlite, listenOnPGlite } from "./listen-on-pglite.js";
import { Listener } from "./listener.js";

/** One for each database that is open in the process, so that savers that were lent the same one share a connection. */
const known = /* @__PURE__ */ new WeakMap<object, Listener>();

const NO_LISTEN = "a PGlite that can't listen can't be watched: a worker's, or one that is wrapped";

/** The listener of a pool, on a connection beside those of the pool. */
export function listenerOfPool(pool: pg.Pool): Listener {
  return listenerOf(pool, () => new Listener((hear) => listenLikePool(pool, hear)));
}

/**
 * The listener of an instance of PGlite.
 *
 * @param open - Opens it, or tells the one that is open.
 */
export function listenerOfPGlite(owner: object, open: () => Promise<object>): Listener {
  const listener = (): Listener =>
    new Listener(async (hear) => {
      const pglite = await open();
      if (!canListen(pglite)) throw new InvalidConfigError("source", NO_LISTEN);
      return listenOnPGlite(pglite, hear);
    });
  return listenerOf(owner, listener);
}

/** @throws InvalidConfigError always: Kysely hands on no notifications. */
export function refuseToListen(): never {
  throw new InvalidConfigError(
    "source",
    "a Kysely or a transaction that was lent hears no notifications: make the watching saver on its pool",
  );
}

function listenerOf(database: object, create: () => Listener): Listener {
  const listener = known.get(database) ?? create();
  known.set(database, listener);
  return listener;
}

function canListen(pglite: object): pglite is ListeningPGlite {
  return "listen" in pglite && "unlisten" in pglite;
}
