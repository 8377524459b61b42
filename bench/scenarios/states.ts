import { channels, document, record } from "./sample-data.js";
import type { Size } from "./scenario.js";

/** What the channels of a checkpoint hold. */
export interface State {
  /** How many channels there are, and how much they hold. */
  readonly label: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** How often to time what is done with it: the larger, the less often. */
  readonly rounds: number;
  /** Whether it is one of the many whose size and number of channels vary. */
  readonly detail: boolean;
}

/** States whose channels hold 2 kB each. */
export function statesOfEqualChannels(counts: readonly number[], { quick }: Size): State[] {
  return counts.map((count) => ({
    label: `${channelCount(count)} × 2 kB`,
    values: channels(count),
    rounds: quick ? 5 : 200,
    detail: false,
  }));
}

const SIZES = [
  { label: "2 kB", characters: 2_000, rounds: 100 },
  { label: "50 kB", characters: 50_000, rounds: 60 },
  { label: "1 MB", characters: 1_000_000, rounds: 24 },
];

/** States of three sizes, each in one, 5 and 20 channels; of these one alone where speed doesn't matter. */
export function statesOfEqualSize({ quick }: Size): State[] {
  const sizes = quick ? SIZES.slice(1, 2) : SIZES;
  const counts = quick ? [5] : [1, 5, 20];
  return sizes.flatMap(({ label, characters, rounds }) =>
    counts.map((count) => ({
      label: `${channelCount(count)}, ${label} in all`,
      values: state(count, characters),
      rounds: quick ? 2 : rounds,
      detail: true,
    })),
  );
}

/** Channels that hold so many characters in all, in equal shares; a large share is a list of records of 1 kB. */
function state(count: number, characters: number): Record<string, unknown> {
  const share = Math.round(characters / count);
  const value = (index: number) => (share > 2_000 ? document(share / 1_000) : record(share, index));
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`channel_${index}`, value(index)]));
}

function channelCount(count: number): string {
  return `${count} channel${count === 1 ? "" : "s"}`;
}
