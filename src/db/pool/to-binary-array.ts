/** The element types of arrays in this library's statements, by OID, which is the same in every Postgres. */
const BYTEA = 17;
const INT4 = 23;
const TEXT = 25;

const NULL_LENGTH = -1;
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;

/**
 * Encodes an array of text, bytes or integers in Postgres's binary format, and returns any other value as it
 * is. `pg` would encode it as text, with bytes in hexadecimal and escaped backslashes: twice the size, and
 * the server has to parse it.
 *
 * `pg` sends a Buffer in the binary format, whatever the type of the parameter is.
 */
export function toBinaryArray(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const items: readonly unknown[] = value;
  if (items.length > 0 && items.every((item) => typeof item === "string")) return textArray(items);
  if (items.some(isBytes) && items.every(isBytesOrNull)) return byteaArray(items);
  if (items.length > 0 && items.every(isInt4)) return int4Array(items);
  return value;
}

function textArray(items: readonly string[]): Buffer {
  const lengths = items.map((item) => Buffer.byteLength(item));
  const array = arrayOf(TEXT, lengths);
  let offset = HEADER_BYTES;
  for (const [index, item] of items.entries()) {
    offset = array.writeInt32BE(lengths[index] ?? 0, offset);
    offset += array.write(item, offset);
  }
  return array;
}

function byteaArray(items: readonly (Uint8Array | null)[]): Buffer {
  const array = arrayOf(
    BYTEA,
    items.map((item) => item?.byteLength ?? NULL_LENGTH),
  );
  let offset = HEADER_BYTES;
  for (const item of items) {
    offset = array.writeInt32BE(item?.byteLength ?? NULL_LENGTH, offset);
    if (item === null) continue;
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

function isBytes(item: unknown): item is Uint8Array {
  return item instanceof Uint8Array;
}

function isBytesOrNull(item: unknown): item is Uint8Array | null {
  return item === null || isBytes(item);
}

function isInt4(item: unknown): item is number {
  return typeof item === "number" && Number.isInteger(item) && Math.abs(item) < 2 ** 31;
}
