import { inspect, stripVTControlCharacters } from "node:util";
import { printable, printableLines } from "./printable.js";
import type { Style } from "./style.js";

const LONGEST_ON_ONE_LINE = 100;
const WIDTH = 100;

/** A value for people, on as many lines as it takes; coloured where the report is. */
export function formatValue(value: unknown, { coloured }: Pick<Style, "coloured">): string {
  const text = inspect(value, {
    colors: coloured,
    depth: 12,
    maxArrayLength: 1_000,
    maxStringLength: 10_000,
    breakLength: WIDTH,
  });
  return printableLines(text);
}

/** A value for a cell of a table: on one line, which is cut where it is long. */
export function formatBriefly(value: unknown): string {
  const text = inspect(value, { depth: 3, maxArrayLength: 10, maxStringLength: 200, breakLength: Infinity });
  const line = printable(stripVTControlCharacters(text).replaceAll(/\s*\n\s*/g, " "));
  return line.length <= LONGEST_ON_ONE_LINE ? line : `${line.slice(0, LONGEST_ON_ONE_LINE - 1)}…`;
}

/** Moves lines to the right, behind a mark on each. */
export function indent(text: string, mark = "  "): string {
  return text
    .split("\n")
    .map((line) => `${mark}${line}`)
    .join("\n");
}
