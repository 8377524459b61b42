import type { PGlite, PGliteTransaction } from "kysely";

/**
 * Wraps a PGlite for Kysely's driver. When a transaction can't begin, as on an instance that is being closed,
 * the driver would wait forever and leave the rejection unhandled. With this wrapper the transaction begins,
 * and its statements reject.
 */
export function pgliteForKysely(pglite: PGlite): PGlite {
  return {
    get closed() {
      return pglite.closed;
    },
    get ready() {
      return pglite.ready;
    },
    get waitReady() {
      return pglite.waitReady;
    },
    close: () => pglite.close(),
    query: (query, params, options) => pglite.query(query, params, options),
    transaction: (run) => transaction(pglite, run),
  };
}

async function transaction<T>(
  pglite: PGlite,
  run: (transaction: PGliteTransaction) => Promise<T>,
): Promise<T> {
  const state = { hasBegun: false };
  try {
    return await pglite.transaction((begun) => {
      state.hasBegun = true;
      return run(begun);
    });
  } catch (error) {
    if (state.hasBegun) throw error;
    const fail = async (): Promise<never> => {
      await Promise.resolve();
      throw error;
    };
    return run({ query: fail, rollback: fail });
  }
}
