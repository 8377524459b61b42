/** Whether `whole` contains `part`, like the operator `@>` for jsonb. */
export function contains(whole: unknown, part: unknown): boolean {
  if (typeof part !== "object" || part === null) return whole === part;
  if (typeof whole !== "object" || whole === null || Array.isArray(whole) !== Array.isArray(part))
    return false;
  const inner: unknown[] = Object.values(whole);
  if (Array.isArray(part)) return part.every((wanted) => inner.some((each) => contains(each, wanted)));
  const entries = new Map<string, unknown>(Object.entries(whole));
  return Object.entries(part).every(
    ([key, wanted]) => entries.has(key) && contains(entries.get(key), wanted),
  );
}
