import type { Placement } from "../../db/placement/placement.js";

/** The parts of a tuple that a read returns. */
export interface TupleSelection {
  /** The channels whose values are read: all for `undefined`, none for an empty list. */
  readonly channels: readonly string[] | undefined;
  /** Whether the pending writes are read. */
  readonly writes: boolean;
}

/** Selects all parts. */
export const WHOLE_TUPLE: TupleSelection = { channels: undefined, writes: true };

/** What the tables that a read looks at are like. */
export interface TableShape extends Placement {
  /** Whether the writes have the path of their task. Those of the official JavaScript saver have none. */
  readonly hasTaskPath: boolean;
}

/** The part of a selection that decides the text of a statement. */
export interface TupleShape extends TableShape {
  readonly values: "all" | "named" | "none";
  readonly writes: boolean;
  /** Whether the values that splices are made of are read as well. */
  readonly followsChains: boolean;
}

/** Returns the shape of a selection. */
export function shapeOf(
  { channels, writes }: TupleSelection,
  { followsChains = false }: { readonly followsChains?: boolean },
  tables: TableShape,
): TupleShape {
  const values = channels === undefined ? "all" : channels.length === 0 ? "none" : "named";
  return { values, writes, followsChains, ...tables };
}
