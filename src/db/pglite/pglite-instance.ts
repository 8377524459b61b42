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
