/** Runs one bulk lookup for all items, and maps each item to its result. */
export async function lookUpAll<Item, Result>(
  items: readonly Item[],
  lookUp: (items: readonly Item[]) => Promise<readonly Result[]>,
): Promise<Map<Item, Result>> {
  const all = await lookUp(items);
  return new Map(
    items.flatMap((item, at) => all.slice(at, at + 1).map((result): [Item, Result] => [item, result])),
  );
}
