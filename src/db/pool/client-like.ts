/**
 * What a single connection must have: that of `pg`, of another copy of it, or of a driver that is compatible with it, such as the `Client`
 * of `@neondatabase/serverless`.
 */
export interface ClientLike {
  /** Sends a query. */
  query(text: string): Promise<{ readonly rows: unknown[] }>;
  /** Reports an error of the connection. */
  on(event: "error", listener: (error: Error) => void): unknown;
  /** Reports that the connection has ended. */
  on(event: "end", listener: () => void): unknown;
  /** Distinguishes a client from a pool. */
  escapeIdentifier(name: string): string;
  /** `I` for none, `T` for a transaction, `E` for a failed one. Drivers of before 2026 lack it. */
  getTransactionStatus?(): string | null;
}

/** Whether an object is a single connection of `pg`. It looks at what the object does: a client may come from another copy of `pg`. */
export function isClient(source: object): source is ClientLike {
  return ["query", "on", "escapeIdentifier"].every((name) => typeof Reflect.get(source, name) === "function");
}
