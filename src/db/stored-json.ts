/**
 * The column `checkpoints.checkpoint`: the checkpoint without the values that are stored in
 * `checkpoint_blobs`.
 */
export interface StoredCheckpoint {
  /** The version of the checkpoint format, 1 to 4. */
  v: number;
  id: string;
  /** The creation time, ISO 8601. */
  ts: string;
  channel_versions?: Record<string, string | number>;
  versions_seen?: unknown;
  /**
   * Values that are stored inline: null, booleans, numbers, strings, and integers that a double can't
   * represent.
   */
  channel_values?: Record<string, string | number | boolean | null | bigint>;
  /** Other keys that a version of LangGraph stores. */
  [key: string]: unknown;
}
