/** Arrays of this length hold few enough elements that room for all of them does no harm. */
const SMALL_LENGTH = 10_000;
const LAST_INDEX = 2 ** 32 - 2;

/**
 * An array of holes. The engine makes room for up to 32 million elements when a length is assigned, so that a row of a few
 * bytes could take hundreds of megabytes. An element far away has it keep only the elements that there are.
 */
export function sparseArray(length: number): unknown[] {
  const array: unknown[] = [];
  if (length > SMALL_LENGTH) array[LAST_INDEX] = undefined;
  array.length = length;
  return array;
}
