import { z } from "zod";
import { parse } from "./parse.js";

/** The lines of a backup: an iterable. A string is refused, since iterating it would yield characters. */
export const linesOfBackup = z.custom<AsyncIterable<unknown> | Iterable<unknown>>(
  (lines) => typeof lines === "object" && lines !== null && isIterable(lines),
  "must be an iterable of lines",
);

/** Parses the lines of a backup. */
export function parseLines(lines: unknown): AsyncIterable<unknown> | Iterable<unknown> {
  return parse(linesOfBackup, lines, "lines");
}

function isIterable(value: object): boolean {
  return Symbol.asyncIterator in value || Symbol.iterator in value;
}
