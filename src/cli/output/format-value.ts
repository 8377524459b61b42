import { inspect, stripVTControlCharacters } from "node:util";
import { namedFieldsOf } from "../../audit/named-fields.js";
import { printable, printableColours, printableLines } from "./printable.js";
import type { Style } from "./style.js";

const MAX_BRIEF_LENGTH = 100;
const WIDTH = 100;
const MAX_LINES = 12;

/** Formats a value in full, on as many lines as it needs, with colours if the style has them. */
export function formatValue(value: unknown, { coloured }: Pick<Style, "coloured">): string {
  const text = inspect(value, {
    colors: coloured,
    depth: 12,
    maxArrayLength: 1_000,
    maxStringLength: 10_000,
    breakLength: WIDTH,
  });
  return coloured ? printableColours(text) : printableLines(text);
}

/** Formats a value for a cell of a table: on one line, truncated if it is long. */
export function formatBriefly(value: unknown): string {
  const text = inspect(value, { depth: 3, maxArrayLength: 10, maxStringLength: 200, breakLength: Infinity });
  const line = printable(stripVTControlCharacters(text).replaceAll(/\s*\n\s*/g, " "));
  return line.length <= MAX_BRIEF_LENGTH ? line : `${line.slice(0, MAX_BRIEF_LENGTH - 1)}…`;
}

/** Formats a part of a value on a few lines, truncated if it is long. Empty fields of a message are left out. */
export function formatPart(value: unknown): string {
  const text = inspect(withoutEmptyFields(value), {
    ...{ depth: 6, maxArrayLength: 100, maxStringLength: 200, breakLength: WIDTH },
  });
  const lines = printableLines(text).split("\n");
  const rest = lines.length - MAX_LINES;
  // A note about one more line would take as much room as the line.
  return rest <= 1 ? lines.join("\n") : [...lines.slice(0, MAX_LINES), `… ${rest} more lines`].join("\n");
}

function withoutEmptyFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmptyFields);
  const message = namedFieldsOf(value);
  if (message?.isMessage !== true) return value;
  const isEmpty = (field: unknown) =>
    field === undefined || field === null || (typeof field === "object" && Object.keys(field).length === 0);
  const shown = Object.entries(message.fields).filter(([, field]) => !isEmpty(field));
  return { type: message.kind, ...Object.fromEntries(shown) };
}

/** Puts a prefix before each line of a text. */
export function indent(text: string, prefix = "  "): string {
  return text
    .split("\n")
    .map((line) => `${prefix}${line}`)
    .join("\n");
}
