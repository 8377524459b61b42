import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { Parameter } from "../../db/statements/statement.js";

/** The checkpoints of a thread, or of one of its namespaces. */
export interface WatchedScope {
  readonly threadId: string;
  /** All namespaces when `undefined`. */
  readonly checkpointNs: string | undefined;
}

/** The parameters of a {@link WatchedScope}. */
export interface WatchedParams {
  readonly threadId: string;
  /** Ignored for a scope of all namespaces. */
  readonly checkpointNs: string;
}

export function watchedParams({ threadId, checkpointNs = "" }: WatchedScope): WatchedParams {
  return { threadId, checkpointNs };
}

/** Whether a row of `checkpoints` is in the scope. */
export function isWatched(parameter: Parameter<WatchedParams>, isOneNamespace: boolean): RawBuilder<SqlBool> {
  const isOfThread = sql<SqlBool>`thread_id = ${parameter("threadId")}`;
  return isOneNamespace
    ? sql<SqlBool>`${isOfThread} and checkpoint_ns = ${parameter("checkpointNs")}`
    : isOfThread;
}

/** A row that identifies a checkpoint within its thread. */
export interface CheckpointRefRow {
  readonly checkpoint_ns: string;
  readonly checkpoint_id: string;
}
