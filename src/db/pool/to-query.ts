import type { BoundStatement } from "../statements/statement.js";

/** How many bytes of parameters are sent at once. They are in memory several times meanwhile. */
const MAX_BYTES_TOGETHER = 2 * 2 ** 20;

/**
 * Whether the statements are small enough to send at once, so that neither side has to wait for the other to
 * read.
 */
export function areSmall(statements: readonly BoundStatement<unknown>[]): boolean {
  return sum(statements.map(({ parameters }) => bytesOf(parameters))) <= MAX_BYTES_TOGETHER;
}

/** The approximate size of a parameter. For text it is the number of characters. */
function bytesOf(parameter: unknown): number {
  if (typeof parameter === "string") return parameter.length;
  if (parameter instanceof Uint8Array) return parameter.byteLength;
  return Array.isArray(parameter) ? sum(parameter.map(bytesOf)) : 0;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** A query to send, with its parameters as they are sent. */
export interface Query {
  /** Absent for a query that is not prepared. */
  readonly name?: string;
  readonly text: string;
  /** pg takes no readonly array. */
  readonly values: QueryParameter[];
  /** Called with its rows once the server has executed it, also where a later query of the round trip fails. */
  readonly onRows?: (rows: readonly unknown[]) => void;
}

/** The query of a statement, not prepared. */
export function toQuery({ sql, parameters, types = [] }: BoundStatement<unknown>): Query {
  const values: QueryParameter[] = [];
  for (const [index, value] of parameters.entries()) values.push(toParameter(value, types[index]));
  return { text: sql, values };
}

/** The query of a statement, prepared under its name. */
export function toNamedQuery(statement: BoundStatement<unknown>): Query {
  return { name: statement.name, ...toQuery(statement) };
}

/** The types of arrays that are sent in the binary format, and the OIDs of their elements, which are the same in every Postgres. */
const ELEMENT_TYPES = new Map<string | undefined, number>([
  ["boolean[]", 16],
  ["bytea[]", 17],
  ["integer[]", 23],
  ["text[]", 25],
]);

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
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return toArray(value, type);
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return toText(value);
}

function toArray(items: readonly unknown[], type = typeOf(items)): QueryParameter {
  if (items.length === 0) return "{}";
  return (
    toBinaryArray(items, type) ?? `{${items.map((item) => (isNull(item) ? "NULL" : toText(item))).join()}}`
  );
}

/** The type of an array, as its items tell. NULLs tell nothing, and integers may be of several types. */
function typeOf(items: readonly unknown[]): string | undefined {
  if (items.some((item) => typeof item === "string")) return "text[]";
  if (items.some((item) => item instanceof Uint8Array)) return "bytea[]";
  return items.some(isNull) ? undefined : "integer[]";
}

function isNull(item: unknown): boolean {
  return item === null || item === undefined;
}

/** A value other than an array, as Postgres reads it. */
export function toText(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean")
    return String(value);
  throw new TypeError(`a parameter that Postgres has no type for: ${typeof value}`);
}

/** An array of one dimension in the binary format; `undefined` where its type has none here, or an item is not of it. */
function toBinaryArray(items: readonly unknown[], type: string | undefined): Buffer | undefined {
  const elementType = ELEMENT_TYPES.get(type);
  if (elementType === undefined) return undefined;
  const lengths: number[] = [];
  let bytes = HEADER_BYTES;
  for (const item of items) {
    const length = lengthOf(item, type);
    if (length === undefined) return undefined;
    lengths.push(length);
    bytes += LENGTH_BYTES + Math.max(length, 0);
  }
  const array = Buffer.allocUnsafe(bytes);
  array.writeInt32BE(1, 0);
  array.writeInt32BE(lengths.includes(NULL_LENGTH) ? 1 : 0, 4);
  array.writeInt32BE(elementType, 8);
  array.writeInt32BE(items.length, 12);
  array.writeInt32BE(1, 16);
  let offset = HEADER_BYTES;
  for (const [index, length] of lengths.entries()) {
    offset = array.writeInt32BE(length, offset);
    if (length === NULL_LENGTH) continue;
    const item = items[index];
    if (item instanceof Uint8Array) array.set(item, offset);
    else if (typeof item === "boolean" && type === "boolean[]") array.writeUInt8(item ? 1 : 0, offset);
    else if (typeof item === "number" && type === "integer[]") array.writeInt32BE(item, offset);
    else array.write(toText(item), offset);
    offset += length;
  }
  return array;
}

/** How many bytes an item takes in the binary format. Any item can be a text, as Postgres would read it. */
function lengthOf(item: unknown, type: string | undefined): number | undefined {
  if (item === null || item === undefined) return NULL_LENGTH;
  switch (type) {
    case "text[]":
      return Buffer.byteLength(toText(item));
    case "bytea[]":
      return item instanceof Uint8Array ? item.byteLength : undefined;
    case "boolean[]":
      return typeof item === "boolean" ? 1 : undefined;
    case "integer[]":
      return typeof item === "number" && Number.isInteger(item) && Math.abs(item) < 2 ** 31 ? 4 : undefined;
    default:
      return undefined;
  }
}
