import { CorruptCheckpointError } from "../../errors/index.js";
import type { CheckpointKey } from "../model/checkpoint-key.js";

/**
 * Returns the value of a column that the official savers' tables allow to be NULL.
 *
 * @throws CorruptCheckpointError when the column is NULL.
 */
export function requiredColumn(value: string | null, column: string, key: CheckpointKey): string {
  if (value !== null) return value;
  throw new CorruptCheckpointError(`the column "${column}" is NULL`, key);
}
