interface TypedArrayClass {
  new (buffer: ArrayBuffer): ArrayBufferView;
  readonly BYTES_PER_ELEMENT: number;
}

/**
 * The typed arrays whose elements numpy has too, by numpy's name for the element type. Node runs on little endian
 * machines only, so an array's bytes are numpy's as they are.
 */
const CLASSES: ReadonlyMap<string, TypedArrayClass> = new Map<string, TypedArrayClass>([
  ["|i1", Int8Array],
  ["|u1", Uint8Array],
  ["<i2", Int16Array],
  ["<u2", Uint16Array],
  ["<i4", Int32Array],
  ["<u4", Uint32Array],
  ["<i8", BigInt64Array],
  ["<u8", BigUint64Array],
  ["<f4", Float32Array],
  ["<f8", Float64Array],
  ...float16Class(),
]);

const DTYPES: ReadonlyMap<string, string> = new Map([...CLASSES].map(([dtype, { name }]) => [name, dtype]));

/** Float16Array exists from Node 24 on. */
function float16Class(): [string, TypedArrayClass][] {
  const candidate: unknown = Reflect.get(globalThis, "Float16Array");
  return isTypedArrayClass(candidate) ? [["<f2", candidate]] : [];
}

function isTypedArrayClass(value: unknown): value is TypedArrayClass {
  return typeof value === "function" && "BYTES_PER_ELEMENT" in value;
}

/** The class whose elements are numpy's `dtype`, if there is one; a boolean is a byte. */
export function typedArrayClassOf(dtype: string): TypedArrayClass | undefined {
  return CLASSES.get(dtype === "|b1" ? "|u1" : dtype);
}

/** numpy's name for the elements of a class of typed arrays, if numpy has them. */
export function dtypeOf(className: string): string | undefined {
  return DTYPES.get(className);
}
