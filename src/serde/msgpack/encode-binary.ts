import { types } from "node:util";
import { lostByCopying, viewClassOf } from "../objects/built-in-state.js";
import { extraSymbol, isExactly } from "../objects/inspect-object.js";
import { pythonOriginOf } from "../python/python-origin.js";
import { refuseExtra } from "./encode-collections.js";
import type { EncodeContext } from "./encode-context.js";
import { pythonTuple } from "./encode-origin.js";
import { EXT } from "./ext-codes.js";
import { dtypeOf } from "../objects/typed-arrays.js";

/**
 * Encodes bytes and typed arrays: a Uint8Array as `bytes`, a Buffer as a call of `bytes` so that it is read back as a Buffer,
 * typed arrays as numpy arrays, and classes without a counterpart in Python by their names.
 */
export function encodeBinary(value: object, context: EncodeContext): unknown {
  if (types.isAnyArrayBuffer(value)) return encodeArrayBuffer(value, context);
  if (!ArrayBuffer.isView(value)) return undefined;
  const className = viewClassOf(value);
  if (className === undefined) return undefined;
  const symbol = extraSymbol(value);
  if (symbol !== undefined) return context.fail(`a property named by a symbol, ${symbol}, can't be stored`);
  const problem = lostByCopying(value);
  return problem === undefined ? encodeView(value, className, context) : context.fail(problem);
}

function encodeView(value: ArrayBufferView, className: string, context: EncodeContext): unknown {
  const bytes = bytesOf(value);
  if (className === "Buffer")
    return context.extension(EXT.PYTHON_SINGLE_ARG, pythonTuple("builtins", "bytes", bytes));
  const layout = pythonOriginOf(value)?.array;
  if (layout !== undefined)
    return context.extension(EXT.NUMPY_ARRAY, [layout.dtype, layout.shape, layout.order, bytes]);
  if (className === "Uint8Array") return bytes;
  const dtype = dtypeOf(className);
  if (dtype === undefined) return context.extension(EXT.BINARY, [className, bytes]);
  return context.extension(EXT.NUMPY_ARRAY, [dtype, [elementCount(value)], "C", bytes]);
}

function encodeArrayBuffer(value: ArrayBufferLike, context: EncodeContext): unknown {
  if (!isExactly(value, "ArrayBuffer", 2)) return undefined;
  const problem = lostByCopying(value);
  if (problem !== undefined) return context.fail(problem);
  refuseExtra(value, "an ArrayBuffer", context);
  return context.extension(EXT.BINARY, ["ArrayBuffer", new Uint8Array(value)]);
}

function elementCount(value: ArrayBufferView): number {
  return "length" in value && typeof value.length === "number" ? value.length : 0;
}

/** The bytes as a plain Uint8Array, which msgpackr copies into its output. */
function bytesOf(value: ArrayBufferView): Uint8Array {
  return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
}
