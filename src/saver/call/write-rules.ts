import type { CheckpointTables } from "../../db/checkpoint-tables.js";

/** What is refused when checkpoints are stored, beside what the database itself refuses. */
export interface WriteRules {
  /** `optimistic`: a checkpoint must follow the newest one of its namespace. */
  readonly concurrency: "unchecked" | "optimistic";
  /** Whether threads that are deleted stay deleted. */
  readonly keepTombstones: boolean;
}

/** The tables as a saver writes to them. */
export interface WritableTables extends CheckpointTables {
  /** Default: none. */
  readonly rules?: WriteRules;
  /** Whether only the newest checkpoint of each namespace stays. */
  readonly keepsNewest?: boolean;
  /** Whether checkpoints that are stored are told to those who watch their thread. */
  readonly notifies?: boolean;
}
