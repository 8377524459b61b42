/** Quoted names and texts, which may contain anything, and placeholders with the type that follows. */
const PLACEHOLDERS = /"(?:[^"]|"")*"|'(?:[^']|'')*'|\$(\d+)(?:::(\w+(?:\[\])?))?/g;

/**
 * Returns the types that a compiled text casts its parameters to, such as `text[]`, by their positions. A parameter of which
 * the text says nothing has none.
 */
export function parameterTypes(text: string): readonly (string | undefined)[] {
  const types: (string | undefined)[] = [];
  replacePlaceholders(text, (placeholder, index, type) => {
    types[index] ??= type;
    return placeholder;
  });
  return types;
}

/**
 * Replaces the placeholders of a compiled text, each with the type that follows it.
 *
 * @param replace - Receives the placeholder as it is written, the position of its parameter, counted from 0, and the type.
 */
export function replacePlaceholders(
  text: string,
  replace: (placeholder: string, index: number, type: string | undefined) => string,
): string {
  return text.replace(PLACEHOLDERS, (found: string, number?: string, type?: string) =>
    number === undefined ? found : replace(found, Number(number) - 1, type),
  );
}
