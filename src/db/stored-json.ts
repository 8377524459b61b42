/** The column `checkpoints.checkpoint`: the checkpoint without the values that moved to `checkpoint_blobs`. */
export interface StoredCheckpoint {
  /** The version of the checkpoint format, 1 to 4. */
  v: number;
  id: string;
  /** When it was made, ISO 8601. */
  ts: string;
  channel_versions?: Record<string, string | number>;
  versions_seen?: unknown;
  /** Values that are kept inline: null, booleans, numbers, strings, and integers that no double holds. */
  channel_values?: Record<string, string | number | boolean | null | bigint>;
  /** Whatever else a version of LangGraph puts there. */
  [key: string]: unknown;
}
