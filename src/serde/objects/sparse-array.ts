/** The largest index that an array can have. */
const LAST_INDEX = 2 ** 32 - 2;

/**
 * An array of nothing but holes, which take no memory. When an array is made longer, V8 reserves eight bytes for each of up to
 * 32 million holes. An array that once had an element far behind the others is kept as a table of its elements instead.
 */
export function sparseArray(length: number): unknown[] {
  const array: unknown[] = [];
  array[LAST_INDEX] = undefined;
  array.length = length;
  Reflect.deleteProperty(array, LAST_INDEX);
  return array;
}

/** Whether a key of an array is an index. Any other one is the name of a property. */
export function isArrayIndex(key: string): boolean {
  const index = Number(key) >>> 0;
  return index <= LAST_INDEX && String(index) === key;
}
