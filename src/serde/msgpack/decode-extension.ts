import type { ByteReader } from "./byte-reader.js";
import type { DecodeContext } from "./decode-context.js";
import { OWN_DECODERS } from "./decode-own.js";
import { decodePython } from "./decode-python.js";
import { decodeDeltaSnapshot } from "./decode-langgraph.js";
import { EXT } from "./ext-codes.js";
import { rememberOrigin } from "../python/python-origin.js";
import { typedArrayClassOf } from "../objects/typed-arrays.js";
import { isArray } from "../objects/type-guards.js";

/**
 * Decodes an extension whose payload is the next `length` bytes.
 *
 * @param readValue - reads the next MessagePack value
 */
export function decodeExtension(
  code: number,
  length: number,
  reader: ByteReader,
  readValue: () => unknown,
  context: DecodeContext,
): unknown {
  const own = OWN_DECODERS.get(code);
  if (own?.payload === "bytes") return own.decode(reader.bytes(length), context);
  if (own === undefined && code > EXT.DELTA_SNAPSHOT)
    return context.fail(`the extension code ${code} is unknown`);
  const payload = reader.window(length, readValue);
  if (own !== undefined) return own.decode(payload, context);
  if (code === EXT.DELTA_SNAPSHOT) return decodeDeltaSnapshot(payload);
  return code === EXT.NUMPY_ARRAY ? decodeNumpyArray(payload, context) : decodePython(code, payload, context);
}

/**
 * Decodes a numpy array to a typed array, which keeps the shape unless the array is one-dimensional and in C order. Elements
 * that no typed array can hold are returned as bytes.
 */
function decodeNumpyArray(payload: unknown, context: DecodeContext): object {
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
