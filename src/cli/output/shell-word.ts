import { printable } from "./printable.js";

/** A text as a word of a command line that can be copied. */
export function shellWord(text: string): string {
  if (printable(text) !== text) {
    return `$'${printable(text.replaceAll("\\", "\\\\")).replaceAll("'", "\\u0027")}'`;
  }
  return /^[\w.:@%+/,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
