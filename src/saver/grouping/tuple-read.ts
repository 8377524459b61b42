import { groupBy } from "../../db/group-by.js";
import type { ReadGroups, ReadRules, SharedRead } from "../../db/grouping/read-groups.js";
import { rowKey } from "../model/keys.js";
import type { TupleSelection } from "../model/tuple-shape.js";
import type { TupleKey } from "../queries/get-tuple-rows.js";
import type { PageRow, TupleRow } from "../queries/tuple-row.js";

/** A read of the rows of one tuple. */
export interface TupleRead extends SharedRead<TupleRow> {
  readonly key: TupleKey;
  readonly selection: TupleSelection;
}

/** The groups in which a saver reads tuples. */
export type TupleReads = ReadGroups<TupleRead, TupleRow>;

/**
 * Reads several tuples in one statement.
 *
 * @param reads - In namespaces that differ. Either all of them name a checkpoint, or none.
 * @param signal - Aborts when nobody waits for any of them.
 */
export type ReadTuples = (
  reads: readonly TupleRead[],
  selection: TupleSelection,
  signal: AbortSignal,
) => Promise<PageRow[]>;

/** Reads of the same parts share a statement, in namespaces that differ. */
export function tupleReadRules(readTuples: ReadTuples): ReadRules<TupleRead, TupleRow> {
  return {
    kindOf: ({ selection, key }) => JSON.stringify([selection, key.checkpointId === undefined]),
    placeOf: ({ key }) => rowKey(key.threadId, key.checkpointNs),
    readTogether: async (reads, signal) => {
      const [first] = reads;
      if (first === undefined) return new Map();
      const rows = await readTuples(reads, first.selection, signal);
      const byPlace = groupBy(rows, (row) => rowKey(row.thread_id, row.checkpoint_ns));
      return new Map([...byPlace].map(([place, found]) => [place, found.map(({ row }) => row)]));
    },
  };
}
