const ACRONYM_BOUNDARY = /([A-Z]+)([A-Z][a-z0-9]+)/g;
const WORD_BOUNDARY = /([a-z0-9])([A-Z])/g;
const SEPARATORS = /[-_\s]+/g;

/** Names of fields that override the usual mapping, from the class to JSON or the other way round. */
export type KeyAliases = Readonly<Record<string, string>>;

/** The JSON name of the field `key`, as LangChain's core writes it: an alias, otherwise snake case. */
export function keyToJson(key: string, aliases: KeyAliases): string {
  return alias(key, aliases) ?? snakeCase(key);
}

/** The field of the JSON name `key`, as LangChain's core reads it: an alias, otherwise camel case. */
export function keyFromJson(key: string, inverted: KeyAliases): string {
  return alias(key, inverted) ?? camelCase(key);
}

function alias(key: string, aliases: KeyAliases): string | undefined {
  const found = Object.hasOwn(aliases, key) ? aliases[key] : undefined;
  return found === "" ? undefined : found;
}

function snakeCase(key: string): string {
  return key
    .replace(ACRONYM_BOUNDARY, "$1_$2")
    .replace(WORD_BOUNDARY, "$1_$2")
    .replace(SEPARATORS, "_")
    .toLowerCase();
}

function camelCase(key: string): string {
  const trimmed = key.trim();
  if (!/[-_\s]/.test(trimmed)) return trimmed;
  return trimmed
    .replace(SEPARATORS, "_")
    .toLowerCase()
    .replace(/_+([a-z0-9])/g, (_, char: string) => char.toUpperCase());
}
