// Control characters of both sets, halves of characters, those that turn text around, and separators of lines.
const UNPRINTABLE = /[\p{Cc}\p{Surrogate}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;
/** What begins a colour, as `util.inspect` writes them. */
const ESCAPE = "\u001b";
const COLOUR = new RegExp(`(${ESCAPE}\\[\\d{1,3}(?:;\\d{1,3})*m)`);

/**
 * Text from the database as a terminal may be shown it, on one line: what would move the cursor, clear the screen or turn
 * text around is escaped, as `\u001b`.
 */
export function printable(text: string): string {
  return text.replaceAll(UNPRINTABLE, escape);
}

/** As {@link printable}, of text of several lines that we have coloured ourselves. */
export function printableLines(text: string): string {
  return text
    .split("\n")
    .map((line) =>
      line
        .split(COLOUR)
        .map((part, index) => (index % 2 === 1 ? part : printable(part)))
        .join(""),
    )
    .join("\n");
}

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
