import type { PGlite, PGliteTransaction } from "kysely";
import { PARSERS } from "../result-types.js";

// Kysely 0.28 has no types of PGlite.

/** What this library needs of a PGlite. */
export interface PGliteInstance {
  readonly closed: boolean;
  readonly ready: boolean;
  readonly waitReady: Promise<void>;
  /** Runs one statement. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as PGlite and Kysely declare it
  query<Row>(
    query: string,
    parameters?: unknown[],
    options?: { readonly parsers?: Record<number, (value: string) => unknown> },
  ): Promise<{
    readonly rows: Row[];
    readonly affectedRows?: number;
    readonly fields: { readonly dataTypeID: number; readonly name: string }[];
  }>;
  /** Runs a function in a transaction, which commits once its promise is fulfilled. */
  transaction<T>(
    run: (transaction: Pick<PGliteInstance, "query"> & { rollback(): Promise<void> }) => Promise<T>,
  ): Promise<T>;
  /** Ends it. */
  close(): Promise<void>;
}

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
    query: queryOf(pglite),
    transaction: (run) => transaction(pglite, run),
  };
}

/** Reads what this library selects alike, whatever parsers the PGlite has. */
function queryOf(pglite: Pick<PGlite, "query">): PGlite["query"] {
  return (query, params, options) =>
    pglite.query(query, params, { ...options, parsers: { ...options?.parsers, ...PARSERS } });
}

async function transaction<T>(
  pglite: PGlite,
  run: (transaction: PGliteTransaction) => Promise<T>,
): Promise<T> {
  const state = { hasBegun: false };
  try {
    return await pglite.transaction((begun) => {
      state.hasBegun = true;
      return run({ query: queryOf(begun), rollback: () => begun.rollback() });
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
