import type { PGlite, PGliteTransaction } from "kysely";

/**
 * The same PGlite for Kysely's driver, which waits for ever for a transaction that can't begin, as on an instance that is
 * being closed, and leaves the rejection unhandled: here it begins, and what is sent in it fails.
 */
export function failingPGlite(pglite: PGlite): PGlite {
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
