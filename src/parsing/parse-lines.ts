import { InvalidConfigError } from "../errors/index.js";

/** Checks that the lines of a backup are an iterable. A string is refused, since iterating it would yield characters. */
export function parseLines(lines: unknown): AsyncIterable<unknown> | Iterable<unknown> {
  try {
    if (typeof lines === "object" && lines !== null && isIterable(lines)) return lines;
  } catch (error) {
    throw new InvalidConfigError("lines", "could not be read", { cause: error });
  }
  throw new InvalidConfigError("lines", "must be an iterable of lines");
}

function isIterable(value: object): value is AsyncIterable<unknown> | Iterable<unknown> {
  return Symbol.asyncIterator in value || Symbol.iterator in value;
}
