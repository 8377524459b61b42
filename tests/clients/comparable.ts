/** UUIDs, the ids of interrupts, and those of the summaries of deepagents. */
const IDS = /(?<=\bsession_)[0-9a-f]{8}\b|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{32}\b/g;
const TIMES = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g;

/**
 * Returns a value as JSON in which every id that a library draws is replaced by its place among the ids, and every time by one word. Two
 * values are then equal if they differ in nothing else, and the same ids stand at the same places.
 */
export function comparable(value: unknown): unknown {
  const names = new Map<string, string>();
  const nameOf = (id: string): string => {
    const name = names.get(id) ?? `id ${names.size}`;
    names.set(id, name);
    return name;
  };
  return JSON.parse(JSON.stringify(value, sortKeys).replace(IDS, nameOf).replace(TIMES, "a time"));
}

/**
 * JSONB does not keep the order of keys, by which ids would get other places. LangGraph's in-memory saver does not read a `Send` as one,
 * with the name of its class.
 */
function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).filter(([key]) => key !== "lg_name");
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
