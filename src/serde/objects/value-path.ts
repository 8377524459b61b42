/** One step from a value to a part of it: the name of a property, the index of an element, or text such as `.get("k")`. */
export type PathSegment = string | number | { readonly step: string };

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/**
 * A path in the notation of JavaScript: `messages[3].kwargs.onDone`, `["odd key"].x`, `.get("k")`.
 *
 * @example
 * ```ts
 * formatPath(["messages", 3, "odd key"]); // messages[3]["odd key"]
 * ```
 */
export function formatPath(path: readonly PathSegment[]): string {
  const text = shorten(path).map(formatSegment).join("");
  return text.startsWith(".") ? text.slice(1) : text;
}

/** Leaves out the middle of a very long path. */
function shorten(path: readonly PathSegment[]): readonly PathSegment[] {
  return path.length <= 100 ? path : [...path.slice(0, 50), { step: ".…" }, ...path.slice(-50)];
}

/** One step of a path as text, such as `.kwargs`, `[3]` or `["odd key"]`. */
export function formatSegment(segment: PathSegment): string {
  if (typeof segment === "object") return segment.step;
  if (typeof segment === "number") return `[${segment}]`;
  return IDENTIFIER.test(segment) ? `.${segment}` : `[${JSON.stringify(segment)}]`;
}

/** The step from a Map to the value of `key`, such as `.get("k")`. */
export function mapValueStep(key: unknown): PathSegment {
  return { step: `.get(${describeKey(key)})` };
}

/** The step from a Map to the key at `index`, counted in order of insertion. */
export function mapKeyStep(index: number): PathSegment {
  return { step: `.keys()[${index}]` };
}

/** The step from a Set to the member at `index`, counted in order of insertion. */
export function setMemberStep(index: number): PathSegment {
  return { step: `.values()[${index}]` };
}

/** A key of a Map, as an error message names it. */
export function describeKey(key: unknown): string {
  if (typeof key === "string") return JSON.stringify(key);
  if (typeof key === "bigint") return `${key}n`;
  return typeof key === "object" && key !== null ? "…" : String(key);
}
