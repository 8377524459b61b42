import { AbortError, ConnectionError, NotReplicatedError } from "../../errors/index.js";
import type { CallContext } from "../call-context.js";
import { toDatabaseError } from "../to-database-error.js";

/** Changes of a database that may be stored without being on any standby. */
interface Unconfirmed {
  /** How many attempts have left such a change since the process started. */
  attempts: number;
  /** How many of them, counted from the first, a later commit has confirmed. */
  confirmed: number;
}

// One for all savers on a pool, since a call may be repeated on another of them.
const known = new WeakMap<object, Unconfirmed>();

/**
 * Wraps the attempts of a write, so that a successful attempt also confirms that the synchronous standbys
 * have the attempts before it: one of those may have stored everything and have been lost before it was
 * confirmed.
 *
 * @returns A function that makes one attempt.
 */
export function confirming<T>(
  call: CallContext,
  attempt: (call: CallContext) => Promise<T>,
): () => Promise<T> {
  const unconfirmed = unconfirmedOf(call);
  let isRepeated = false;
  return async () => {
    const { attempts, confirmed } = unconfirmed;
    const confirmsEarlier = isRepeated || attempts > confirmed;
    isRepeated = true;
    try {
      const result = await attempt(confirmsEarlier ? { ...call, confirmsEarlier } : call);
      if (confirmsEarlier) unconfirmed.confirmed = Math.max(unconfirmed.confirmed, attempts);
      return result;
    } catch (error) {
      if (mayBeStored(error)) unconfirmed.attempts++;
      throw error;
    }
  };
}

function unconfirmedOf({ database }: CallContext): Unconfirmed {
  const found = known.get(database.locks) ?? { attempts: 0, confirmed: 0 };
  known.set(database.locks, found);
  return found;
}

/** Whether the database may have executed a write that failed with this error. */
function mayBeStored(error: unknown): boolean {
  const failure = toDatabaseError(error);
  return [ConnectionError, NotReplicatedError, AbortError].some((kind) => failure instanceof kind);
}
