import type { ConnectionOptions } from "../../parsing/connection-options.js";
import type { CheckpointStoreOptions } from "../checkpoint-store-options.js";

/** Options of a checkpoint store in Postgres. */
export interface PostgresCheckpointStoreOptions
  extends CheckpointStoreOptions, Omit<ConnectionOptions, "tenantId" | keyof CheckpointStoreOptions> {
  /**
   * The name of the table, at most 46 bytes and without a period. It is quoted. A table of langgraphgo is adopted: pass its schema and its
   * name. Default `checkpoint_store`.
   */
  readonly table?: string | undefined;
}
