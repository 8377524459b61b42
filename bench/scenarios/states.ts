import { channels, document, record } from "./sample-data.js";
import type { Size } from "./scenario.js";

/** The channels of a checkpoint. */
export interface State {
  /** The number and the size of the channels. */
  readonly label: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** The number of timed runs: fewer for larger states. */
  readonly rounds: number;
  /** Whether it is one of the many whose size and number of channels vary. */
  readonly detail: boolean;
}

/** The numbers of channels where speed does not matter. */
const QUICK_COUNTS = [5];

/** States whose channels have 2 kB each. */
export function statesOfEqualChannels(counts: readonly number[], { quick }: Size): State[] {
  return (quick ? QUICK_COUNTS : counts).map((count) => ({
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

/** States of three sizes, each in 1, 5 and 20 channels. Only the middle one is used where speed does not matter. */
export function statesOfEqualSize({ quick }: Size): State[] {
  const sizes = quick ? SIZES.slice(1, 2) : SIZES;
  const counts = quick ? QUICK_COUNTS : [1, 5, 20];
  return sizes.flatMap(({ label, characters, rounds }) =>
    counts.map((count) => ({
      label: `${channelCount(count)}, ${label} in all`,
      values: state(count, characters),
      rounds: quick ? 2 : rounds,
      detail: true,
    })),
  );
}

/** Channels with this number of characters in total, in equal shares. A large share is a list of records of 1 kB. */
function state(count: number, characters: number): Record<string, unknown> {
  const share = Math.round(characters / count);
  const value = (index: number) => (share > 2_000 ? document(share / 1_000) : record(share, index));
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`channel_${index}`, value(index)]));
}

function channelCount(count: number): string {
  return `${count} channel${count === 1 ? "" : "s"}`;
}
