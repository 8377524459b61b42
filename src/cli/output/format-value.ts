import { inspect, stripVTControlCharacters } from "node:util";
import { fieldsOf } from "./named-fields.js";
import { printable, printableLines } from "./printable.js";
import type { Style } from "./style.js";

const LONGEST_ON_ONE_LINE = 100;
const WIDTH = 100;
const MOST_LINES = 12;

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

/** A value among others: on a few lines, which are cut where it is long. A message is shown without its empty fields. */
export function formatPart(value: unknown): string {
  const text = inspect(withoutEmptyFields(value), {
    ...{ depth: 6, maxArrayLength: 100, maxStringLength: 200, breakLength: WIDTH },
  });
  const lines = printableLines(text).split("\n");
  const rest = lines.length - MOST_LINES;
  // A single line takes no more room than the one that would tell of it.
  return rest <= 1 ? lines.join("\n") : [...lines.slice(0, MOST_LINES), `… ${rest} more lines`].join("\n");
}

function withoutEmptyFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmptyFields);
  const message = fieldsOf(value);
  if (message?.isMessage !== true) return value;
  const isEmpty = (field: unknown) =>
    field === undefined || field === null || (typeof field === "object" && Object.keys(field).length === 0);
  const told = Object.entries(message.fields).filter(([, field]) => !isEmpty(field));
  return { type: message.kind, ...Object.fromEntries(told) };
}

/** Moves lines to the right, behind a mark on each. */
export function indent(text: string, mark = "  "): string {
  return text
    .split("\n")
    .map((line) => `${mark}${line}`)
    .join("\n");
}
