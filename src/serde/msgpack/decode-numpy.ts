import { rememberOrigin } from "../python/python-origin.js";
import type { DecodeContext } from "./decode-context.js";
import { EXT } from "./ext-codes.js";
import { typedArrayClassOf } from "../objects/typed-arrays.js";
import { isArray } from "../objects/type-guards.js";

/**
 * Decodes a numpy array to a typed array, which keeps the shape unless the array is one-dimensional and in C order. Elements
 * that no typed array can hold are returned as bytes.
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
  // A Uint8Array without a layout would be written as bytes.
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
