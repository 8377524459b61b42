/** The element types of arrays in this library's statements, by OID, which is the same in every Postgres. */
const BOOLEAN = 16;
const BYTEA = 17;
const INT4 = 23;
const TEXT = 25;

const NULL_LENGTH = -1;
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;

/** A parameter as pg sends it: text, or bytes in Postgres's binary format. */
export type QueryParameter = string | Buffer | null;

/**
 * Encodes a parameter of a statement. An array is in the binary format, which takes half the size of the text format for bytes, and
 * needs no parsing by the server, except where it is empty or of another type. With `array_nulls = off` the server would read the NULLs
 * of the text format as texts.
 *
 * @param type - The type of the parameter, such as `text[]`. Default: that of the items.
 */
export function toParameter(value: unknown, type?: string): QueryParameter {
  if (isNull(value)) return null;
  if (Array.isArray(value)) return toArray(value, type);
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return toText(value);
}

function toArray(items: readonly unknown[], type = typeOf(items)): QueryParameter {
  if (items.length === 0) return "{}";
  if (type === "text[]") return textArray(items.every(isString) ? items : items.map(toTextOrNull));
  if (type === "bytea[]" && items.every(isBytesOrNull)) return byteaArray(items);
  if (type === "integer[]" && items.every(isInt4OrNull)) return int4Array(items);
  if (type === "boolean[]" && items.every(isBooleanOrNull)) return booleanArray(items);
  return `{${items.map((item) => toTextOrNull(item) ?? "NULL").join()}}`;
}

/** The type of an array, as its items tell. NULLs tell nothing, and integers may be of several types. */
function typeOf(items: readonly unknown[]): string | undefined {
  if (items.some(isString)) return "text[]";
  if (items.some(isBytes)) return "bytea[]";
  return items.every((item) => !isNull(item) && isInt4OrNull(item)) ? "integer[]" : undefined;
}

function toTextOrNull(item: unknown): string | null {
  return isNull(item) ? null : toText(item);
}

/** A value other than an array, as Postgres reads it. */
export function toText(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean")
    return String(value);
  throw new TypeError(`a parameter that Postgres has no type for: ${typeof value}`);
}

function textArray(items: readonly (string | null)[]): Buffer {
  const lengths = items.map((item) => (item === null ? NULL_LENGTH : Buffer.byteLength(item)));
  const array = arrayOf(TEXT, lengths);
  let offset = HEADER_BYTES;
  for (const [index, item] of items.entries()) {
    offset = array.writeInt32BE(lengths[index] ?? 0, offset);
    if (item !== null) offset += array.write(item, offset);
  }
  return array;
}

function byteaArray(items: readonly (Uint8Array | null | undefined)[]): Buffer {
  const array = arrayOf(
    BYTEA,
    items.map((item) => item?.byteLength ?? NULL_LENGTH),
  );
  let offset = HEADER_BYTES;
  for (const item of items) {
    offset = array.writeInt32BE(item?.byteLength ?? NULL_LENGTH, offset);
    if (isNull(item)) continue;
    array.set(item, offset);
    offset += item.byteLength;
  }
  return array;
}

function int4Array(items: readonly (number | null | undefined)[]): Buffer {
  return fixedArray(INT4, 4, items, (array, item, offset) => array.writeInt32BE(item, offset));
}

function booleanArray(items: readonly (boolean | null | undefined)[]): Buffer {
  return fixedArray(BOOLEAN, 1, items, (array, item, offset) => array.writeUInt8(item ? 1 : 0, offset));
}

/** @param write - Writes an item of `bytes` bytes at an offset, and returns the offset after it. */
function fixedArray<T>(
  elementType: number,
  bytes: number,
  items: readonly (T | null | undefined)[],
  write: (array: Buffer, item: T, offset: number) => number,
): Buffer {
  const array = arrayOf(
    elementType,
    items.map((item) => (isNull(item) ? NULL_LENGTH : bytes)),
  );
  let offset = HEADER_BYTES;
  for (const item of items) {
    offset = array.writeInt32BE(isNull(item) ? NULL_LENGTH : bytes, offset);
    if (!isNull(item)) offset = write(array, item, offset);
  }
  return array;
}

/** A buffer with the header of a one-dimensional array, and room for elements of these lengths. */
function arrayOf(elementType: number, lengths: readonly number[]): Buffer {
  const bytes = lengths.reduce((sum, length) => sum + LENGTH_BYTES + Math.max(length, 0), HEADER_BYTES);
  const array = Buffer.allocUnsafe(bytes);
  array.writeInt32BE(1, 0);
  array.writeInt32BE(lengths.includes(NULL_LENGTH) ? 1 : 0, 4);
  array.writeInt32BE(elementType, 8);
  array.writeInt32BE(lengths.length, 12);
  array.writeInt32BE(1, 16);
  return array;
}

function isNull(item: unknown): item is null | undefined {
  return item === null || item === undefined;
}

function isBytes(item: unknown): item is Uint8Array {
  return item instanceof Uint8Array;
}

function isBytesOrNull(item: unknown): item is Uint8Array | null | undefined {
  return isNull(item) || isBytes(item);
}

function isString(item: unknown): item is string {
  return typeof item === "string";
}

function isInt4OrNull(item: unknown): item is number | null | undefined {
  return isNull(item) || (typeof item === "number" && Number.isInteger(item) && Math.abs(item) < 2 ** 31);
}

function isBooleanOrNull(item: unknown): item is boolean | null | undefined {
  return isNull(item) || typeof item === "boolean";
}
