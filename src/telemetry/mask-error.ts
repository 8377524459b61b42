import { types } from "node:util";

/**
 * Masks what an error says and what it carries, in place: its class and its code stay, and so does every cause. Whoever
 * shows the error by `util.inspect` shows all of it.
 *
 * @param mask - Returns what may be shown of a text.
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

/** Frames quote nothing, and have paths that may look like anything. */
function maskHeader(stack: string, mask: (text: string) => string): string {
  const [header = "", ...frames] = stack.split(/(?=\n\s+at )/);
  return [mask(header), ...frames].join("");
}

// Node's own errors come from another realm where a program runs in a VM context.
function isError(error: unknown): error is Error {
  return types.isNativeError(error) || error instanceof Error;
}
