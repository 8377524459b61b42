import { CheckpointError, type ErrorLocation, SerializationError } from "../errors/index.js";

/**
 * Reads a value of the caller. Its getters and Proxies may throw anything.
 *
 * @throws SerializationError with the thrown value as its cause. A `CheckpointError` is thrown as it is.
 */
export function guardRead<T>(read: () => T, location: ErrorLocation, path = ""): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof CheckpointError) throw error;
    throw new SerializationError(path, "the value could not be read", { ...location, cause: error });
  }
}
