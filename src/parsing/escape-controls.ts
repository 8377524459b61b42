/** DEL and the C1 controls, the controls of the direction of text, line separators, and the byte order mark. */
const CONTROLS = String.raw`\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufeff`;
const IN_TEXT = new RegExp(String.raw`[${CONTROLS}\u0000-\u001f\p{Surrogate}]`, "gu");
/** `JSON.stringify` escapes the other ones. Without the flag `u` the search is faster. */
const IN_JSON = new RegExp(`[${CONTROLS}]`, "g");

/**
 * Makes a text safe to print on one line of a terminal: escapes characters that move the cursor, clear the screen, end the line or change
 * the direction of text, and lone surrogates, as `\u001b`.
 */
export function escapeControls(text: string): string {
  return text.replaceAll(IN_TEXT, escape);
}

/** Formats a value as JSON without the characters that {@link escapeControls} escapes. It holds the same data as with them. */
export function printableJson(value: unknown): string {
  const json = JSON.stringify(value);
  // Most lines of a backup are base64. To find that they are ASCII takes a tenth of the time of the search.
  const isPrintable = Buffer.byteLength(json) === json.length && !json.includes("\u007f");
  return isPrintable ? json : json.replaceAll(IN_JSON, escape);
}

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
