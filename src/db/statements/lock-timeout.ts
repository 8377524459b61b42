import { DatabaseError } from "../../errors/index.js";
import { toDatabaseError } from "../to-database-error.js";

const LOCK_NOT_AVAILABLE = "55P03";

/**
 * Wraps an attempt whose wait for locks is limited, so that it is not repeated after a lock timeout: its caller decides what to do
 * meanwhile.
 */
export function withoutLockRetries<T>(attempt: () => Promise<T>): () => Promise<T> {
  return async () => {
    try {
      return await attempt();
    } catch (cause) {
      const failure = toDatabaseError(cause);
      if (!isLockTimeout(failure)) throw failure;
      throw new DatabaseError(failure.message, { cause, sqlState: LOCK_NOT_AVAILABLE, transient: false });
    }
  };
}

/** Whether a statement has waited too long for a lock. */
export function isLockTimeout(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && error.sqlState === LOCK_NOT_AVAILABLE;
}
