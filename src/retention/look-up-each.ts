/** What one look-up of several items finds of each. */
export async function lookUpEach<Item, Found>(
  items: readonly Item[],
  lookUp: (items: readonly Item[]) => Promise<readonly Found[]>,
): Promise<Map<Item, Found>> {
  const found = new Map<Item, Found>();
  if (items.length === 0) return found;
  const all = await lookUp(items);
  for (const [at, item] of items.entries()) {
    const one = all[at];
    if (one !== undefined) found.set(item, one);
  }
  return found;
}
