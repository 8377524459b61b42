import { escapeControls } from "../../parsing/escape-controls.js";

const ESCAPE = "\u001b";
/** A colour, as `util.inspect` writes it. */
const COLOUR = new RegExp(`(${ESCAPE}\\[\\d{1,3}(?:;\\d{1,3})*m)`);

/** Makes text from the database safe to print on one line of a terminal; see {@link escapeControls}. */
export const printable = escapeControls;

/** Like {@link printable}, for text of several lines. */
export function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n");
}

/** Like {@link printableLines}, for text that this program has coloured. */
export function printableColours(text: string): string {
  return text
    .split(COLOUR)
    .map((part, index) => (index % 2 === 1 ? part : printableLines(part)))
    .join("");
}

/** Quotes a text as one word of a command line that can be copied into a shell. */
export function shellWord(text: string): string {
  if (printable(text) !== text) {
    return `$'${printable(text.replaceAll("\\", "\\\\")).replaceAll("'", "\\u0027")}'`;
  }
  return /^[\w.:@%+/,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
