/**
 * Runs work for each item, for at most `max` of them at the same time. After a failure it begins no further one, and waits for those that
 * have begun.
 *
 * @throws The first error of the work.
 */
export async function eachConcurrently<Item>(
  items: readonly Item[],
  max: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const rest = items.values();
  let failure: { readonly error: unknown } | undefined;
  const worker = async (): Promise<void> => {
    for (const item of rest) {
      try {
        await work(item);
      } catch (error) {
        failure ??= { error };
      }
      if (failure !== undefined) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(max, items.length) }, worker));
  if (failure !== undefined) throw failure.error;
}
