import { CheckpointError } from "../../errors/index.js";

/**
 * Runs long work, and says what was done of it where the user has ended it.
 *
 * @param done - What was done, such as `12 threads are deleted`.
 */
export async function tellingWhatWasDone<T>(
  signal: AbortSignal,
  run: () => Promise<T>,
  done: () => string,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new CheckpointError("ABORTED", `interrupted: ${done()}`, { cause: error });
  }
}
