import { InvalidConfigError } from "../../errors/index.js";

/**
 * Copies the options of a call, so that later code reads them without the caller's getters or Proxy. `null` has none, as in the calls
 * that take only a signal.
 *
 * @throws InvalidConfigError where reading them throws.
 */
export function readOptions<Options extends object>(options: Options): Options {
  try {
    return { ...options };
  } catch (cause) {
    throw new InvalidConfigError("options", "could not be read", { cause });
  }
}
