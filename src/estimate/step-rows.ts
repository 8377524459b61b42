import type { EstimateInput } from "./estimate-input.js";
import { type StoredList, storedLists } from "./message-list.js";
import { costAt, type RowCost, sumOf, times } from "./row-curve.js";
import type { RowPoint, UnitCosts } from "./unit-costs.js";

/** What a table gets from one step, in the mean over a thread. */
export interface TableStep extends RowCost {
  readonly rows: number;
}

/** What one super-step stores. */
export interface StepRows {
  readonly checkpoints: TableStep;
  readonly checkpoint_blobs: TableStep;
  readonly checkpoint_writes: TableStep;
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
  const hasList = lists.length > 0 ? 1 : 0;
  const list = meanList(lists, costs.values[content]);
  const value = costAt(costs.values[content], valueBytes);
  // LangGraph empties the channel that has triggered a node. That is a row without a value.
  const emptied = costAt(costs.values[content], 0);
  const written = writeSizes(input).map((bytes) => costAt(costs.writes[content], bytes));
  return {
    checkpoints: { rows: 1, ...costAt(costs.headers, channels) },
    checkpoint_blobs: { rows: changed + hasList + 1, ...sumOf([list.cost, times(value, changed), emptied]) },
    checkpoint_writes: { rows: writes, ...sumOf(written) },
    putBytes: changed * valueBytes + list.bytes,
    writeBytes: writeSizes(input).reduce((sum, bytes) => sum + bytes, 0),
    readBytes: changed * valueBytes + list.wholeBytes,
    readRows: changed + list.rowsToRead + writes,
  };
}

function listsOf({ threads, checkpoints, messageBytes, splices }: EstimateInput): StoredList[] {
  return storedLists({ steps: Math.round(checkpoints / threads), bytesPerStep: messageBytes, splices });
}

function meanList(lists: readonly StoredList[], points: readonly RowPoint[]) {
  const count = Math.max(1, lists.length);
  const mean = (figure: (list: StoredList) => number) =>
    lists.reduce((sum, list) => sum + figure(list), 0) / count;
  const costs = lists.map(({ bytes }) => costAt(points, bytes));
  return {
    cost: times(sumOf(costs), 1 / count),
    bytes: mean(({ bytes }) => bytes),
    wholeBytes: mean(({ wholeBytes }) => wholeBytes),
    rowsToRead: mean(({ rowsToRead }) => rowsToRead),
  };
}

/** The message comes first, then the values that change. The others trigger nodes and hold nothing. */
function writeSizes({ writes, changed, valueBytes, messageBytes }: EstimateInput): number[] {
  const values = [
    ...(messageBytes > 0 ? [messageBytes] : []),
    ...Array.from({ length: changed }, () => valueBytes),
  ];
  return Array.from({ length: writes }, (_, index) => values[index] ?? 0);
}
