/** Parses JSON that a person has typed. */
export function parseJson(text: string): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { problem: `This is no JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** Whether a value of JSON is an object, and no list. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
