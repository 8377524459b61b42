import { rememberOrigin } from "../python-origin.js";
import type { DecodeContext } from "./decode-context.js";
import { EXT } from "./ext-codes.js";
import { typedArrayClassOf } from "./typed-arrays.js";
import { isArray } from "./prototypes.js";

/**
 * A numpy array: the typed array of its elements, which remembers the shape unless it is the only one possible. Elements
 * that no typed array can hold stay bytes.
 */
export function decodeNumpyArray(payload: unknown, context: DecodeContext): object {
  if (!isArray(payload)) return context.fail("a numpy array is malformed");
  const [dtype, shape, order, bytes] = payload;
  if (
    typeof dtype !== "string" ||
    !isShape(shape) ||
    typeof order !== "string" ||
    !(bytes instanceof Uint8Array)
  )
    return context.fail("a numpy array is malformed");
  const elements = typedArrayClassOf(dtype);
  if (elements !== undefined && bytes.length % elements.BYTES_PER_ELEMENT !== 0)
    return context.fail("a numpy array has the wrong size");
  const array = elements === undefined ? bytes : new elements(bytes.slice().buffer);
  const isUsual = elements !== undefined && shape.length === 1 && order === "C" && !dtype.startsWith("|b");
  // Bytes alone would be written as bytes.
  if (isUsual && dtype !== "|u1") return array;
  return rememberOrigin(array, {
    code: EXT.NUMPY_ARRAY,
    module: "numpy",
    name: "ndarray",
    array: { dtype, shape, order },
  });
}

function isShape(value: unknown): value is number[] {
  return isArray(value) && value.every((axis) => typeof axis === "number");
}
