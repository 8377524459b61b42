/**
 * How calls share statements, and the numbers of it. `call-groups.ts` moves a call from state to state; `#advance` is the only place that
 * decides (C16):
 *
 * - **encoding**: it has its place in the queue of its key, so that the calls of a thread stay in order (C19).
 * - **queued**: it can be sent, and an earlier call of its queue is under way. Its time limit and its signal end the wait.
 * - **alone**: it is the next of its queue, and few statements are under way (`StatementsUnderWay.areFew`), or it may share none. It is
 *   sent on a connection of its own. `LockWaits` bounds how many of these hold a connection while they may wait for a lock.
 * - **waiting**: it may share a statement, and too many are under way. The next statement is sent when one ends, or after a pause.
 * - **in a group**: it shares a statement. Where the statement fails, or leaves it out, it goes back to the head of its queue and is sent
 *   alone, so that it gets its own result (C14).
 * - **settled**: its queue goes on with the next one.
 */

/** How many connections are left to other calls, such as those that wait for a lock. */
export const SPARE_CONNECTIONS = 2;

/** Up to this many statements are under way where calls share them: more keep the server and this process busy with less in each. */
export const FEW_STATEMENTS = 5;

/**
 * A statement carries at least a third of what is under way, so that many calls are sent in few statements, and the server still has
 * one to work on while this process prepares the next.
 */
export const LEAST_PART = 1 / 3;

/** How long calls wait for one of the few statements to end before further connections are used, as where the server is far, in milliseconds. */
export const PATIENCE_MS = 2;

/** How long a statement waits for a lock while other calls wait for the statement, in milliseconds. */
export const LOCK_TIMEOUT_MS = 30;

/** The pauses before a call that found its rows locked is sent again: the first and the longest, in milliseconds. */
export const LOCK_PAUSES_MS = { first: 20, longest: 200 } as const;
