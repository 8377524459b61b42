/** What a JSONB column holds. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

/** A JSON object; a key may be absent. */
export interface JsonObject {
  [key: string]: JsonValue | undefined;
}

/** The column `checkpoints.checkpoint`: the checkpoint without the values that moved to `checkpoint_blobs`. */
export interface StoredCheckpoint extends JsonObject {
  /** The version of the checkpoint format, 1 to 4. */
  v: number;
  id: string;
  /** When it was made, ISO 8601. */
  ts: string;
  channel_versions?: Record<string, string | number>;
  versions_seen?: Record<string, Record<string, string | number>>;
  /** Values that are kept inline: null, booleans, numbers and strings. */
  channel_values?: Record<string, string | number | boolean | null>;
}
