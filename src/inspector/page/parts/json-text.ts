/** What a person has typed, read; or why it can't be. */
export type Typed<Value> =
  | { readonly value: Value; readonly problem?: undefined }
  | { readonly value?: undefined; readonly problem: string };

/** Reads JSON that a person has typed. */
export function typedJson(text: string): Typed<unknown> {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { problem: `This is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** Reads an object that a person has typed as JSON. */
export function typedObject(text: string): Typed<Readonly<Record<string, unknown>>> {
  const { value, problem } = typedJson(text);
  if (problem !== undefined) return { problem };
  return isObjectOfJson(value) ? { value } : { problem: 'Give an object, such as {"text": "likes tea"}.' };
}

/** Whether a value of JSON is an object, and no list. */
export function isObjectOfJson(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Returns JSON with line breaks; `undefined` for a text that is no object and no list in JSON, or that would lose something, such as the
 * digits of a long number.
 */
export function prettyJson(text: string): string | undefined {
  const value = parseExactly(text);
  return value === undefined ? undefined : JSON.stringify(value, null, 2);
}

/** Returns the object or the list that a text is in JSON; `undefined` where it is none, or reading it would lose something. */
function parseExactly(text: string): object | undefined {
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

/** Returns the object that a text is in JSON; `undefined` where it is none, or reading it would lose something. */
export function exactObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseExactly(text);
  return isObjectOfJson(value) ? value : undefined;
}

function withoutSpaces(json: string): string {
  return json.replaceAll(/\s/g, "");
}
