import type { ErrorLocation } from "./checkpoint-error.js";
import type { UnreadableError } from "./value-errors.js";

/** A row that can't be read. An operation over many threads leaves the thread of the row, and does the others. */
export interface Damage extends ErrorLocation {
  readonly threadId: string;
  /** Why it can't be read. A text for people, which may change between versions. */
  readonly reason: string;
}

/**
 * Describes the row that an error is about.
 *
 * @param threadId - The thread, where the error does not know it.
 */
export function damageOf(error: UnreadableError, threadId: string): Damage {
  const { checkpointNs, checkpointId, channel, problem } = error;
  const version = "version" in error ? error.version : undefined;
  return {
    threadId: error.threadId ?? threadId,
    ...(checkpointNs !== undefined && { checkpointNs }),
    ...(checkpointId !== undefined && { checkpointId }),
    ...(channel !== undefined && { channel }),
    ...(version !== undefined && { version }),
    reason: problem,
  };
}
