/** Quotes identifiers, and joins them by dots. */
export function quoted(...names: readonly string[]): string {
  return names.map((name) => `"${name.replaceAll('"', '""')}"`).join(".");
}

/** A literal with the {@link quoted} identifiers, for functions that take the name of a table as text. */
export function quotedText(...names: readonly string[]): string {
  return `'${quoted(...names).replaceAll("'", "''")}'`;
}
