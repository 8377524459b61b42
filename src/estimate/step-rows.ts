import { type EstimateInput, keptOfThread, stepsOfThread } from "./estimate-input.js";
import { keptLists, type StoredList, storedLists } from "./stored-lists.js";
import { costAt, type RowCost, sumOf, multiplyCost } from "./row-curve.js";
import type { UnitCosts } from "./unit-costs.js";

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
    const list = sumOf(stored.map(({ bytes }) => costAt(costs.values[content], bytes)));
    return {
      checkpoints: { rows: 1, ...costAt(costs.headers, channels) },
      checkpoint_blobs: {
        rows: changed + stored.length / of + 1,
        ...sumOf([multiplyCost(list, 1 / of), multiplyCost(value, changed), emptied]),
      },
      checkpoint_writes: { rows: writes, ...sumOf(written) },
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
