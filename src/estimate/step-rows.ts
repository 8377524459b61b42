import { type EstimateInput, keptOfThread, stepsOfThread } from "./estimate-input.js";
import { costAt, type RowCost, sumCosts, multiplyCost, type UnitCosts } from "./unit-costs.js";
import { MIN_SPLICED_BYTES } from "../splices/splice-type.js";

/** What a table gets from one step, in the mean over a thread. */
export interface TableStep extends RowCost {
  readonly rows: number;
}

/** The rows of each table. */
export interface TableRows {
  readonly checkpoints: TableStep;
  readonly checkpoint_blobs: TableStep;
  readonly checkpoint_writes: TableStep;
}

/** What one super-step stores. */
export interface StepRows extends TableRows {
  /** What stays of it, for each checkpoint that stays. It differs where the saver has the option `keepLast`. */
  readonly kept: TableRows;
  /** The bytes of values that a `put` sends, before compression. */
  readonly putBytes: number;
  readonly writeBytes: number;
  /** The bytes and rows of values that `getTuple` reads. */
  readonly readBytes: number;
  readonly readRows: number;
}

/** Returns what a super-step stores, in the mean over the steps of a thread. */
export function stepRows(input: EstimateInput, costs: UnitCosts): StepRows {
  const { channels, changed, valueBytes, writes, messageBytes, content } = input;
  const lists = messageBytes === 0 ? [] : listsOf(input);
  const value = costAt(costs.values[content], valueBytes);
  // LangGraph empties the channel that has triggered a node. That is a row without a value.
  const emptied = costAt(costs.values[content], 0);
  const written = writeSizes(input).map((bytes) => costAt(costs.writes[content], bytes));
  /** @param stored - The lists that as many checkpoints need. */
  const rowsOf = (stored: readonly StoredList[], of: number): TableRows => {
    const list = sumCosts(stored.map(({ bytes }) => costAt(costs.values[content], bytes)));
    return {
      checkpoints: { rows: 1, ...costAt(costs.headers, channels) },
      checkpoint_blobs: {
        rows: changed + stored.length / of + 1,
        ...sumCosts([multiplyCost(list, 1 / of), multiplyCost(value, changed), emptied]),
      },
      checkpoint_writes: { rows: writes, ...sumCosts(written) },
    };
  };
  const [made, kept] = [stepsOfThread(input), keptOfThread(input)];
  const meanOf = (figure: (list: StoredList) => number) =>
    lists.reduce((sum, list) => sum + figure(list), 0) / made;
  return {
    ...rowsOf(lists, made),
    kept: rowsOf(keptLists(lists, kept), kept),
    putBytes: changed * valueBytes + meanOf(({ bytes }) => bytes),
    writeBytes: writeSizes(input).reduce((sum, bytes) => sum + bytes, 0),
    readBytes: changed * valueBytes + meanOf(({ wholeBytes }) => wholeBytes),
    readRows: changed + meanOf(({ rowsToRead }) => rowsToRead) + writes,
  };
}

function listsOf(input: EstimateInput): StoredList[] {
  const { messageBytes, splices } = input;
  return storedLists({ steps: stepsOfThread(input), bytesPerStep: messageBytes, splices });
}

/** The message comes first, then the values that change. The others trigger nodes and hold nothing. */
function writeSizes({ writes, changed, valueBytes, messageBytes }: EstimateInput): number[] {
  const values = [
    ...(messageBytes > 0 ? [messageBytes] : []),
    ...Array.from({ length: changed }, () => valueBytes),
  ];
  return Array.from({ length: writes }, (_, index) => values[index] ?? 0);
}

/** The bytes of a splice besides what is new: numbers, the digest, and the header of the list, which changes. */
const SPLICE_BYTES = 40;

/** A channel that grows by as many bytes at each step. */
interface GrowingList {
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
