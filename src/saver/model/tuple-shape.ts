/** Which parts of its tuples a read is about. */
export interface TupleSelection {
  /** The channels whose values are read; all where it is `undefined`, none where it is empty. */
  readonly channels: readonly string[] | undefined;
  /** Whether pending writes are read. */
  readonly writes: boolean;
}

/** All that there is. */
export const WHOLE_TUPLE: TupleSelection = { channels: undefined, writes: true };

/** What a statement has to be built for: the selection without the names. */
export interface TupleShape {
  readonly values: "all" | "named" | "none";
  readonly writes: boolean;
}

/** The shape of a selection, and a text that tells it from other shapes. */
export function shapeOf({ channels, writes }: TupleSelection): TupleShape & { readonly id: string } {
  const values = channels === undefined ? "all" : channels.length === 0 ? "none" : "named";
  return { values, writes, id: `${values} ${writes ? "writes" : ""}` };
}
