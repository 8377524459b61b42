import { types } from "node:util";
import { pythonOriginOf } from "../python-origin.js";
import type { EncodeContext } from "./encode-context.js";
import { pythonTuple } from "./encode-origin.js";
import { EXT } from "./ext-codes.js";
import { extraSymbol, prototypeDepth } from "./prototypes.js";
import { dtypeOf } from "./typed-arrays.js";

/**
 * Bytes and typed arrays: a Uint8Array as `bytes`, a Buffer as a call of `bytes` so that it comes back a Buffer, typed
 * arrays as numpy arrays, and what Python has nothing like by the name of its class.
 */
export function encodeBinary(value: object, context: EncodeContext): unknown {
  if (types.isAnyArrayBuffer(value)) return encodeArrayBuffer(value, context);
  if (!ArrayBuffer.isView(value)) return undefined;
  const symbol = extraSymbol(value);
  if (symbol !== undefined) return context.fail(`a property named by a symbol, ${symbol}, can't be stored`);
  if (Buffer.isBuffer(value) && prototypeDepth(value) === 4)
    return context.extension(EXT.PYTHON_SINGLE_ARG, pythonTuple("builtins", "bytes", bytesOf(value)));
  const className = classTag(value);
  if (prototypeDepth(value) !== (className === "DataView" ? 2 : 3)) return undefined;
  return encodeView(value, className, context);
}

function encodeView(value: ArrayBufferView, className: string, context: EncodeContext): unknown {
  const bytes = bytesOf(value);
  const layout = pythonOriginOf(value)?.array;
  if (layout !== undefined)
    return context.extension(EXT.NUMPY_ARRAY, [layout.dtype, layout.shape, layout.order, bytes]);
  if (className === "Uint8Array") return bytes;
  const dtype = dtypeOf(className);
  if (dtype === undefined) return context.extension(EXT.BINARY, [className, bytes]);
  return context.extension(EXT.NUMPY_ARRAY, [dtype, [elementCount(value)], "C", bytes]);
}

function encodeArrayBuffer(value: ArrayBufferLike, context: EncodeContext): unknown {
  if (types.isSharedArrayBuffer(value) || prototypeDepth(value) !== 2) return undefined;
  return context.extension(EXT.BINARY, ["ArrayBuffer", new Uint8Array(value)]);
}

/** The name of the built-in class, which no property can disguise. */
function classTag(value: ArrayBufferView): string {
  return types.isDataView(value) ? "DataView" : typedArrayTag(value);
}

const TYPED_ARRAY_TAG = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(Uint8Array.prototype) as object,
  Symbol.toStringTag,
);

function typedArrayTag(value: ArrayBufferView): string {
  return String(TYPED_ARRAY_TAG?.get?.call(value));
}

function elementCount(value: ArrayBufferView): number {
  return "length" in value && typeof value.length === "number" ? value.length : 0;
}

/** The bytes as a plain view, which msgpackr copies into its output. */
function bytesOf(value: ArrayBufferView): Uint8Array {
  return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
}
