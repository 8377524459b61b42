/** Stands for the id of the last fork in a step. */
export const LAST_FORK = "the last fork";

/** So old that none of its writes counts as recent. */
export const OLD_ID = "1e000000-0000-6000-8000-000000000000";

/**
 * A few ids, so that calls affect each other. They sort differently as text, as numbers and in most locales. Ids of forks sort
 * after some of them and before others.
 */
export const IDS = ["10", OLD_ID, "9", "B", "a"] as const;

/** The time in a UUID of version 6, which counts 100 ns since 15 October 1582. */
export function timeIn(id: string): Date | undefined {
  const [high, middle, low, ...rest] = id.split("-");
  if (rest.length !== 2 || high === undefined || middle === undefined || low === undefined) return undefined;
  const ticks = BigInt(`0x${high}${middle}${low.slice(1)}`);
  return new Date(Number(ticks / 10_000n - 12_219_292_800_000n));
}
