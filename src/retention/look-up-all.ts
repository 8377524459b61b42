/** Runs one bulk lookup for all items, and maps each item to its result. It doesn't call `lookUp` for an empty list. */
export async function lookUpAll<Item, Result>(
  items: readonly Item[],
  lookUp: (items: readonly Item[]) => Promise<readonly Result[]>,
): Promise<Map<Item, Result>> {
  const results = new Map<Item, Result>();
  if (items.length === 0) return results;
  const all = await lookUp(items);
  for (const [at, item] of items.entries()) {
    const result = all[at];
    if (result !== undefined) results.set(item, result);
  }
  return results;
}
