/** The element types of arrays in this library's statements, by OID, which is the same in every Postgres. */
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
 * needs no parsing by the server, except where it is empty or without text, bytes and integers.
 */
export function toParameter(value: unknown): QueryParameter {
  if (isNull(value)) return null;
  if (Array.isArray(value)) return toArray(value);
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return toText(value);
}

function toArray(items: readonly unknown[]): QueryParameter {
  if (items.length > 0 && items.every((item) => typeof item === "string")) return textArray(items);
  if (items.some(isBytes) && items.every(isBytesOrNull)) return byteaArray(items);
  if (items.length > 0 && items.every(isInt4)) return int4Array(items);
  const texts = items.map((item) => (isNull(item) ? null : toText(item)));
  if (items.some((item) => typeof item === "string")) return textArray(texts);
  return `{${texts.map((text) => text ?? "NULL").join()}}`;
}

function toText(value: unknown): string {
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

function int4Array(items: readonly number[]): Buffer {
  const array = arrayOf(
    INT4,
    items.map(() => 4),
  );
  let offset = HEADER_BYTES;
  for (const item of items) {
    offset = array.writeInt32BE(4, offset);
    offset = array.writeInt32BE(item, offset);
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

function isInt4(item: unknown): item is number {
  return typeof item === "number" && Number.isInteger(item) && Math.abs(item) < 2 ** 31;
}
