/** Bounds of a portion. A single longer value is a portion of its own. */
export interface PortionBounds {
  readonly rows: number;
  readonly bytes: number;
}

/** Splits values, in their order, into portions that fit into memory or into a transaction. */
export function* portionsOf<Value>(
  values: readonly Value[],
  bytesOf: (value: Value) => number,
  most: PortionBounds,
): Generator<Value[]> {
  let portion: Value[] = [];
  let bytes = 0;
  for (const value of values) {
    const length = bytesOf(value);
    if (portion.length === most.rows || (portion.length > 0 && bytes + length > most.bytes)) {
      yield portion;
      portion = [];
      bytes = 0;
    }
    portion.push(value);
    bytes += length;
  }
  if (portion.length > 0) yield portion;
}
