import { ThreadLockedError } from "../../errors/index.js";
import type { CallRun } from "../calls/call-definition.js";
import { RefusedError } from "../refused-error.js";

/**
 * Does something while nobody else continues the thread.
 *
 * @throws RefusedError where somebody else does already.
 */
export async function holdingThread<Result>(
  { context }: CallRun,
  threadId: string,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  try {
    return await context.saver.withThreadLock(threadId, ({ signal }) => work(signal), { waitMs: 0 });
  } catch (error) {
    if (!(error instanceof ThreadLockedError)) throw error;
    const message = "a run of this thread is under way: somebody else has just started it";
    throw new RefusedError(409, "ALREADY_ANSWERED", message);
  }
}
