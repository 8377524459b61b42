/** Joins labels, as Python's store does. No label contains it. */
const SEPARATOR = ".";

/** The column `prefix` of a namespace. The empty namespace, which holds no items, is the empty text. */
export function toPrefix(namespace: readonly string[]): string {
  return namespace.join(SEPARATOR);
}

/** The namespace of a column `prefix`. */
export function toNamespace(prefix: string): string[] {
  return prefix === "" ? [] : prefix.split(SEPARATOR);
}
