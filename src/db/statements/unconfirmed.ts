import { AbortError, ConnectionError, NotReplicatedError } from "../../errors/index.js";
import type { CallContext } from "../call-context.js";
import { toDatabaseError } from "../to-database-error.js";

/** Changes of a database that may be stored, and of which no standby may know. */
interface Unconfirmed {
  /** How many attempts have left such a change, since the process began. */
  attempts: number;
  /** How many of the first ones a later commit has confirmed. */
  confirmed: number;
}

// Of all savers on one pool, whose repeated calls may be made on another of them.
const known = new WeakMap<object, Unconfirmed>();

/**
 * Makes the attempts of a write such that one which succeeds is known to the synchronous standbys too, as are those before
 * it: one may have changed all there was to change and have been lost before it was confirmed.
 *
 * @returns An attempt.
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

/** Whether the database may have done what failed with this. */
function mayBeStored(error: unknown): boolean {
  const failure = toDatabaseError(error);
  return [ConnectionError, NotReplicatedError, AbortError].some((kind) => failure instanceof kind);
}
