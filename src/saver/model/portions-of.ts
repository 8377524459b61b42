/** Bounds of a portion. A single larger value is a portion of its own. */
export interface PortionBounds {
  readonly rows: number;
  /** In bytes, or whatever makes a value large. */
  readonly size: number;
}

/** Splits values, in their order, into portions that fit into memory, a statement or a transaction. */
export function* portionsOf<Value>(
  values: readonly Value[],
  sizeOf: (value: Value) => number,
  most: PortionBounds,
): Generator<Value[]> {
  let portion: Value[] = [];
  let total = 0;
  for (const value of values) {
    const size = sizeOf(value);
    if (portion.length === most.rows || (portion.length > 0 && total + size > most.size)) {
      yield portion;
      portion = [];
      total = 0;
    }
    portion.push(value);
    total += size;
  }
  if (portion.length > 0) yield portion;
}
