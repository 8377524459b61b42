// Kysely 0.28 has no types of PGlite.

/** What this library needs of a PGlite. */
export interface PGliteInstance extends PGliteQueries {
  readonly closed: boolean;
  readonly ready: boolean;
  readonly waitReady: Promise<void>;
  close(): Promise<void>;
  transaction<T>(run: (transaction: PGliteTransaction) => Promise<T>): Promise<T>;
}

/** An open transaction of a PGlite. */
export interface PGliteTransaction extends PGliteQueries {
  rollback(): Promise<void>;
}

interface PGliteQueries {
  query<Row>(query: string, parameters?: unknown[], options?: PGliteQueryOptions): Promise<PGliteResult<Row>>;
}

interface PGliteQueryOptions {
  readonly parsers?: Record<number, (value: string) => unknown>;
}

interface PGliteResult<Row> {
  readonly rows: Row[];
  readonly affectedRows?: number;
  readonly fields: { readonly dataTypeID: number; readonly name: string }[];
}
