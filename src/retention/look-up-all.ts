/** Runs one bulk lookup for all items, and maps each item to its result. */
export async function lookUpAll<Item, Result>(
  items: readonly Item[],
  lookUp: (items: readonly Item[]) => Promise<readonly Result[]>,
): Promise<Map<Item, Result>> {
  const all = await lookUp(items);
  const results = new Map<Item, Result>();
  for (const [at, item] of items.entries()) {
    const result = all[at];
    if (result !== undefined) results.set(item, result);
  }
  return results;
}
