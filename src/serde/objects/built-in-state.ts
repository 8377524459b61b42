import { isDeepStrictEqual, types } from "node:util";
import { classNameOf, isExactly, prototypeOf } from "./inspect-object.js";

const FEW_ELEMENTS = 64;

const BUILT_IN_CHECKS: readonly ((value: object) => boolean)[] = [
  types.isAnyArrayBuffer,
  types.isBoxedPrimitive,
  types.isDate,
  types.isGeneratorObject,
  types.isMap,
  types.isMapIterator,
  types.isNativeError,
  types.isPromise,
  types.isRegExp,
  types.isSet,
  types.isSetIterator,
  types.isWeakMap,
  types.isWeakSet,
];

/** Whether an array is a direct instance of Array, in any realm. */
export function isBareArray(value: readonly unknown[]): boolean {
  return prototypeOf(value) === Array.prototype || isExactly(value, "Array", 2);
}

const PLAIN_TAG = "[object Object]";

/**
 * Describes a built-in object that looks like a plain object because its prototype was replaced, such as a Map with the prototype
 * of a literal. Returns `undefined` for any other object. The checks are slow, so the encoders only call it for objects without
 * properties or without a prototype.
 */
export function describeDisguisedBuiltIn(value: object): string | undefined {
  if (prototypeOf(value) !== null) {
    const tag = Object.prototype.toString.call(value);
    return tag === PLAIN_TAG ? undefined : tag;
  }
  return BUILT_IN_CHECKS.some((is) => is(value)) ? "a built-in object with another prototype" : undefined;
}

const TYPED_ARRAY = Object.getPrototypeOf(Uint8Array.prototype) as object;
const TAG = Object.getOwnPropertyDescriptor(TYPED_ARRAY, Symbol.toStringTag);
const LENGTH = Object.getOwnPropertyDescriptor(TYPED_ARRAY, "length");

/**
 * The built-in class that a view is a direct instance of, or `undefined` for a subclass. The own properties of the view can't
 * change the result.
 */
export function viewClassOf(view: ArrayBufferView): string | undefined {
  if (types.isDataView(view)) return isExactly(view, "DataView", 2) ? "DataView" : undefined;
  const name = String(TAG?.get?.call(view));
  if (isExactly(view, name, 3)) return name;
  return name === "Uint8Array" && isExactly(view, "Buffer", 4) ? "Buffer" : undefined;
}

/**
 * The error message for a buffer, typed array or DataView that a copy of its bytes would not restore. The bytes of shared
 * memory may change while they are written, and a buffer that is read back can't be resized.
 */
export function lostByCopying(value: ArrayBufferLike | ArrayBufferView): string | undefined {
  const isView = ArrayBuffer.isView(value);
  const buffer = isView ? value.buffer : value;
  const what = isView ? `a ${classNameOf(value)} of ` : "";
  if (types.isSharedArrayBuffer(buffer)) return `${what}shared memory can't be stored`;
  if (Reflect.get(buffer, "resizable") === true) return `${what}a resizable ArrayBuffer can't be stored`;
  return isView && hasNamedProperty(value)
    ? `a ${classNameOf(value)} with a property of its own can't be stored`
    : undefined;
}

/** Whether a view has enumerable properties apart from its elements. Listing the names of all elements takes long. */
function hasNamedProperty(view: ArrayBufferView): boolean {
  if (types.isDataView(view)) return Object.keys(view).length > 0;
  const length = elementsOf(view);
  return length <= FEW_ELEMENTS
    ? Object.keys(view).length > length
    : !isDeepStrictEqual(view, bareView(view, length));
}

/** The number of elements. The own properties of the view can't change the result. */
function elementsOf(view: ArrayBufferView): number {
  const length: unknown = LENGTH?.get?.call(view);
  return typeof length === "number" ? length : 0;
}

/** Another view of the same memory. */
function bareView(view: ArrayBufferView, length: number): unknown {
  if (Buffer.isBuffer(view)) return Buffer.from(view.buffer, view.byteOffset, length);
  const Class: unknown = Reflect.get(prototypeOf(view) ?? view, "constructor");
  return typeof Class === "function"
    ? Reflect.construct(Class, [view.buffer, view.byteOffset, length])
    : undefined;
}
