import { isDeepStrictEqual, types } from "node:util";
import { constructorNameOf, isExactly, prototypeOf, prototypeDepth } from "./inspect-object.js";

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
  const what = isView ? `a ${constructorNameOf(value)} of ` : "";
  if (types.isSharedArrayBuffer(buffer)) return `${what}shared memory can't be stored`;
  if (Reflect.get(buffer, "resizable") === true) return `${what}a resizable ArrayBuffer can't be stored`;
  return isView && hasNamedProperty(value)
    ? `a ${constructorNameOf(value)} with a property of its own can't be stored`
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

/** What a boxed value such as `new String("a")` holds. `undefined` for any other object, and for one with properties of its own. */
export function unboxed(value: object): string | number | boolean | undefined {
  const name = types.isStringObject(value)
    ? "String"
    : types.isNumberObject(value)
      ? "Number"
      : types.isBooleanObject(value)
        ? "Boolean"
        : undefined;
  if (name === undefined || !isExactly(value, name, 2)) return undefined;
  const primitive: unknown = value.valueOf();
  const isBare = Reflect.ownKeys(value).length === Reflect.ownKeys(Object(primitive) as object).length;
  return isBare && isBoxable(primitive) ? primitive : undefined;
}

/** Whether a value is a primitive that {@link unboxed} returns. */
export function isBoxable(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** Makes an Error of one built-in class. */
type ErrorFactory = (message?: string) => Error;

const FACTORIES: ReadonlyMap<string, ErrorFactory> = new Map<string, ErrorFactory>([
  ["AggregateError", (message) => new AggregateError([], message)],
  ["Error", (message) => new Error(message)],
  ["EvalError", (message) => new EvalError(message)],
  ["RangeError", (message) => new RangeError(message)],
  ["ReferenceError", (message) => new ReferenceError(message)],
  ["SyntaxError", (message) => new SyntaxError(message)],
  ["TypeError", (message) => new TypeError(message)],
  ["URIError", (message) => new URIError(message)],
]);

/** The factory of the built-in error class of that name, if there is one. */
export function errorFactoryOf(className: unknown): ErrorFactory | undefined {
  return typeof className === "string" ? FACTORIES.get(className) : undefined;
}

/** The name of the built-in class that an Error is a direct instance of, or `undefined` for a class of an application. */
export function builtInErrorName(error: Error): string | undefined {
  const name = constructorNameOf(error);
  return FACTORIES.has(name) && prototypeDepth(error) === (name === "Error" ? 2 : 3) ? name : undefined;
}

/** A class of typed arrays. */
interface TypedArrayClass {
  new (buffer: ArrayBuffer): ArrayBufferView;
  readonly BYTES_PER_ELEMENT: number;
}

/** numpy's name for the elements of each class of typed arrays that numpy has too. */
const DTYPES: ReadonlyMap<string, string> = new Map([
  ["BigInt64Array", "<i8"],
  ["BigUint64Array", "<u8"],
  ["Float16Array", "<f2"],
  ["Float32Array", "<f4"],
  ["Float64Array", "<f8"],
  ["Int16Array", "<i2"],
  ["Int32Array", "<i4"],
  ["Int8Array", "|i1"],
  ["Uint16Array", "<u2"],
  ["Uint32Array", "<u4"],
  ["Uint8Array", "|u1"],
]);

/** Every class of typed arrays that this Node.js has, by name. */
export const TYPED_ARRAYS: ReadonlyMap<string, TypedArrayClass> = new Map(
  [...DTYPES.keys(), "Uint8ClampedArray"].flatMap((name) => {
    // Float16Array exists from Node.js 24 on.
    const candidate: unknown = Reflect.get(globalThis, name);
    return isTypedArrayClass(candidate) ? [[name, candidate] as const] : [];
  }),
);

const CLASSES_BY_DTYPE: ReadonlyMap<string, TypedArrayClass> = new Map(
  [...DTYPES].flatMap(([name, dtype]) => {
    const Class = TYPED_ARRAYS.get(name);
    return Class === undefined ? [] : [[dtype, Class] as const];
  }),
);

function isTypedArrayClass(value: unknown): value is TypedArrayClass {
  return typeof value === "function" && "BYTES_PER_ELEMENT" in value;
}

/**
 * The class whose elements are numpy's `dtype`, if there is one. A boolean is a byte. Node.js runs on little-endian machines
 * only, so the bytes of both are the same.
 */
export function typedArrayClassOf(dtype: string): TypedArrayClass | undefined {
  return CLASSES_BY_DTYPE.get(dtype === "|b1" ? "|u1" : dtype);
}

/** numpy's name for the elements of a class of typed arrays, if numpy has them. */
export function dtypeOf(className: string): string | undefined {
  return DTYPES.get(className);
}

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

/** Whether a value is a whole number from zero to below `end`. */
export function isIndexBelow(end: number, value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) < end;
}

/** Whether a key of an array is an index. Any other one is the name of a property. */
export function isArrayIndex(key: string): boolean {
  const index = Number(key) >>> 0;
  return index <= LAST_INDEX && String(index) === key;
}
