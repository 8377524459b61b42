/** What steps call the checkpoint that was forked last. */
export const LAST_FORK = "the last fork";

/** Made so long ago that nothing of it counts as late. */
export const OLD_ID = "1e000000-0000-6000-8000-000000000000";

/**
 * Few ids, so that calls meet; as text, as numbers and in most locales they sort differently. Forks come after some of
 * them and before others.
 */
export const IDS = ["10", OLD_ID, "9", "B", "a"] as const;

/** The time inside a UUID of version 6, which counts 100 ns from 15 October 1582. */
export function timeIn(id: string): Date | undefined {
  const [high, middle, low, ...rest] = id.split("-");
  if (rest.length !== 2 || high === undefined || middle === undefined || low === undefined) return undefined;
  const ticks = BigInt(`0x${high}${middle}${low.slice(1)}`);
  return new Date(Number(ticks / 10_000n - 12_219_292_800_000n));
}
