import { CheckpointError } from "../../errors/index.js";

/**
 * Runs work that the user may interrupt. If that happens, the error says what was done until then.
 *
 * @param describe - Describes what was done, such as `deleted 12 threads`.
 * @throws CheckpointError with the code `ABORTED` if the signal has aborted; otherwise whatever `run` throws.
 */
export async function reportInterrupt<T>(
  signal: AbortSignal,
  run: () => Promise<T>,
  describe: () => string,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new CheckpointError("ABORTED", `interrupted: ${describe()}`, { cause: error });
  }
}
