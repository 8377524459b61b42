import { types } from "node:util";

/**
 * Masks the message and the other text of an error and all of its causes in place. Classes and codes stay.
 * After that it is safe to show the error with `util.inspect`.
 *
 * @param mask - Masks one text.
 */
export function maskError(error: unknown, mask: (text: string) => string, seen = new Set<unknown>()): void {
  if (!isError(error) || seen.has(error)) return;
  seen.add(error);
  for (const name of Object.getOwnPropertyNames(error)) {
    const value: unknown = Reflect.get(error, name);
    if (typeof value === "string") {
      Reflect.set(error, name, name === "stack" ? maskHeader(value, mask) : mask(value));
    } else {
      for (const inner of Array.isArray(value) ? (value as unknown[]) : [value]) maskError(inner, mask, seen);
    }
  }
}

/** Masks only the header. Stack frames quote no values, but their paths may look like anything. */
function maskHeader(stack: string, mask: (text: string) => string): string {
  const [header = "", ...frames] = stack.split(/(?=\n\s+at )/);
  return [mask(header), ...frames].join("");
}

// In a VM context, Node's own errors come from another realm.
function isError(error: unknown): error is Error {
  return types.isNativeError(error) || error instanceof Error;
}
