import { CheckpointError, type ErrorLocation } from "./checkpoint-error.js";

/**
 * A missing value can't be told from the writes that are there: they are gone as well, or may be those of another branch.
 * Nothing was stored.
 *
 * @example
 * ```ts
 * if (error instanceof WritesMissingError) console.error(error.channel, error.message);
 * ```
 */
export class WritesMissingError extends CheckpointError {
  constructor(problem: string, location: ErrorLocation) {
    const { threadId = "", checkpointId = "", channel = "" } = location;
    super(
      "WRITES_MISSING",
      `thread "${threadId}", checkpoint "${checkpointId}", channel "${channel}": can't be rebuilt, as ${problem}`,
      location,
    );
  }
}
