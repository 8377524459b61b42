import { CheckpointError, type ErrorLocation, SerializationError } from "../errors/index.js";

/**
 * Looks at a value of the caller's, whose getters and Proxies may throw anything.
 *
 * @throws SerializationError in place of what they throw; an error of ours stays as it is.
 */
export function guardRead<T>(read: () => T, location: ErrorLocation, path = ""): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof CheckpointError) throw error;
    throw new SerializationError(path, "the value could not be read", { ...location, cause: error });
  }
}
