import { printable } from "./printable.js";

/** Quotes a text as one word of a command line that can be copied into a shell. */
export function shellWord(text: string): string {
  if (printable(text) !== text) {
    return `$'${printable(text.replaceAll("\\", "\\\\")).replaceAll("'", "\\u0027")}'`;
  }
  return /^[\w.:@%+/,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
