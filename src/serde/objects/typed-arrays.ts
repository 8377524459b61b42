/** A class of typed arrays. */
export interface TypedArrayClass {
  new (buffer: ArrayBuffer): ArrayBufferView;
  readonly name: string;
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
