// Control characters, lone surrogates, characters that change the direction of text, and line separators.
const UNPRINTABLE = /[\p{Cc}\p{Surrogate}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;
const ESCAPE = "\u001b";
/** A colour, as `util.inspect` writes it. */
const COLOUR = new RegExp(`(${ESCAPE}\\[\\d{1,3}(?:;\\d{1,3})*m)`);

/**
 * Makes text from the database safe to print on one line of a terminal: escapes characters that move the cursor, clear the
 * screen, end the line or change the direction of text, as `\u001b`.
 */
export function printable(text: string): string {
  return text.replaceAll(UNPRINTABLE, escape);
}

/** Like {@link printable}, for text of several lines that this program has coloured. */
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
