import { InvalidConfigError } from "../errors/index.js";

/** Refuses an option that is misspelt: what it was meant to ask for would be left out without a word. */
export function refuseUnknown(options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new InvalidConfigError(unknown, "is no option");
}
