/** The largest index that an array can have. */
const LAST_INDEX = 2 ** 32 - 2;

/**
 * An array of nothing but holes, which takes no memory for them: V8 reserves eight bytes for each of up to 32 million holes of
 * an array that is made longer, but keeps one that had an element far behind the others as a table of its elements.
 */
export function sparseArray(length: number): unknown[] {
  const array: unknown[] = [];
  array[LAST_INDEX] = undefined;
  array.length = length;
  Reflect.deleteProperty(array, LAST_INDEX);
  return array;
}
