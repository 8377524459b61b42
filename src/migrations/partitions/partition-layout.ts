import { InvalidConfigError } from "../../errors/index.js";

/** How the tables of savers are stored: each as one table, or in a number of hash partitions by `thread_id`. */
export type PartitionLayout = "none" | `hash:${number}`;

const HASH = /^hash:([1-9]\d*)$/;
/** More partitions than this make each statement on all threads slower, and gain nothing. */
const MOST_PARTITIONS = 256;

/**
 * Parses a layout such as `hash:16`.
 *
 * @throws InvalidConfigError for any other text.
 */
export function parseLayout(text: string): PartitionLayout {
  if (text === "none") return text;
  const partitions = Number(HASH.exec(text)?.[1]);
  if (partitions >= 2 && partitions <= MOST_PARTITIONS) return `hash:${partitions}`;
  throw new InvalidConfigError(
    "layout",
    `expected hash:<n> with 2 to ${MOST_PARTITIONS} partitions, or none; got ${JSON.stringify(text)}`,
  );
}

/** The number of partitions of a layout. 0 for one table. */
export function partitionsOf(layout: PartitionLayout): number {
  return layout === "none" ? 0 : Number(layout.slice("hash:".length));
}
