import { isDeepStrictEqual } from "node:util";

const JSONB_REFUSES = /[\0\p{Surrogate}]/u;

/**
 * Whether `whole` contains `part`, like the operator `@>` for jsonb. A value that JSON can't represent contains only values
 * equal to it.
 *
 * @param inList - Whether both are items of lists. There, an empty object matches anything that is stored as an object.
 */
export function containsValue(whole: unknown, part: unknown, inList = false): boolean {
  if (Array.isArray(part)) {
    return (
      Array.isArray(whole) && part.every((wanted) => whole.some((item) => containsValue(item, wanted, true)))
    );
  }
  if (!isPlainObject(part)) return isDeepStrictEqual(whole, part);
  if (inList && Object.keys(part).length === 0) return isStoredAsObject(whole);
  return (
    isPlainObject(whole) &&
    Object.entries(part).every(
      ([key, wanted]) => Object.hasOwn(whole, key) && containsValue(whole[key], wanted),
    )
  );
}

/** Whether jsonb stores the value as a plain object. */
function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return false;
  if (looksLikeRecord(value)) return false;
  return !Object.keys(value).some((key) => key === "__proto__" || JSONB_REFUSES.test(key));
}

function looksLikeRecord(value: { lc?: unknown; type?: unknown }): boolean {
  const types = value.lc === 1 ? ["constructor", "secret", "not_implemented"] : ["constructor", "undefined"];
  return (value.lc === 1 || value.lc === 2) && types.some((type) => type === value.type);
}

function isStoredAsObject(value: unknown): boolean {
  if (typeof value === "string") return JSONB_REFUSES.test(value);
  if (typeof value === "number") return Object.is(value, -0) || !Number.isFinite(value);
  return (
    value === undefined ||
    typeof value === "bigint" ||
    (typeof value === "object" && value !== null && !Array.isArray(value))
  );
}
