import { MIN_SPLICED_BYTES } from "../splices/splice-type.js";

/** The bytes of a splice besides what is new: numbers, the digest, and the header of the list, which changes. */
const SPLICE_BYTES = 40;

/** A channel that grows by as many bytes at each step. */
export interface GrowingList {
  /** The number of steps. */
  readonly steps: number;
  readonly bytesPerStep: number;
  /** Whether the saver has the option `splices`. */
  readonly splices: boolean;
}

/** What is stored of a list at a step. */
export interface StoredList {
  /** The bytes of the row, before compression. */
  readonly bytes: number;
  /** The bytes of the whole list. */
  readonly wholeBytes: number;
  /** The rows that a reader needs for the whole list, this one included. */
  readonly rowsToRead: number;
  /** The index of the step whose list this splice refers to. Absent where the list is stored whole. */
  readonly base?: number;
}

/**
 * Returns what a saver stores of a list after each step. With splices it follows the rule of `nextValue`: the k-th value of a chain refers
 * to number k - lowbit(k), and is whole where less than half of it would be saved.
 */
export function storedLists({ steps, bytesPerStep, splices }: GrowingList): StoredList[] {
  let [ordinal, start] = [0, 0];
  return Array.from({ length: steps }, (_, index): StoredList => {
    const wholeBytes = (index + 1) * bytesPerStep;
    ordinal = index + 1 - start;
    const added = lowestBit(ordinal) * bytesPerStep;
    const isWhole = !splices || start === 0 || wholeBytes < MIN_SPLICED_BYTES || added * 2 > wholeBytes;
    if (!isWhole) {
      const base = index - lowestBit(ordinal);
      return { bytes: added + SPLICE_BYTES, wholeBytes, rowsToRead: 1 + bitsOf(ordinal), base };
    }
    start = index + 1;
    return { bytes: wholeBytes, wholeBytes, rowsToRead: 1 };
  });
}

/**
 * Returns what stays of the lists where a saver keeps the newest checkpoints only: theirs, and those that their splices refer to.
 *
 * @param kept - The number of these checkpoints.
 */
export function keptLists(lists: readonly StoredList[], kept: number): StoredList[] {
  const needed = new Set<number>();
  for (let newest = Math.max(0, lists.length - kept); newest < lists.length; newest++) {
    let step: number | undefined = newest;
    while (step !== undefined && !needed.has(step)) {
      needed.add(step);
      step = lists[step]?.base;
    }
  }
  return lists.filter((_list, step) => needed.has(step));
}

function lowestBit(ordinal: number): number {
  let bit = 1;
  while (ordinal > 0 && ordinal % (bit * 2) === 0) bit *= 2;
  return bit;
}

/** The number of ones in binary: each is one step back in a chain. */
function bitsOf(ordinal: number): number {
  return ordinal.toString(2).replaceAll("0", "").length;
}
