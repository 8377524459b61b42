import { InvalidConfigError } from "../../errors/index.js";

/** Refuses unknown options, so that a misspelt option is not silently ignored. */
export function refuseUnknownOptions(options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new InvalidConfigError(unknown, "unknown option");
}
