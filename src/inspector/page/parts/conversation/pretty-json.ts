/**
 * Returns JSON with line breaks; `undefined` for a text that is no object and no list in JSON, or that would lose something, such as the
 * digits of a long number.
 */
export function prettyJson(text: string): string | undefined {
  const value = parseExactly(text);
  return value === undefined ? undefined : JSON.stringify(value, null, 2);
}

/** Returns the object or the list that a text is in JSON; `undefined` where it is none, or reading it would lose something. */
export function parseExactly(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    // Where there are spaces, as Python writes them, only the other characters count.
    const isExact = withoutSpaces(JSON.stringify(value)) === withoutSpaces(text);
    return isExact && typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function withoutSpaces(json: string): string {
  return json.replaceAll(/\s/g, "");
}
