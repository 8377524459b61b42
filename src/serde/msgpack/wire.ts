import { addExtension, Packr } from "msgpackr";
import { toUSVString } from "node:util";
import { isReadAsBigInt } from "../json/scalars.js";
import { EXT } from "./ext-codes.js";

/** The part of msgpackr's buffer that an extension may write to. */
interface Allocation {
  readonly target: Uint8Array;
  readonly position: number;
}

type Allocate = (size: number) => Allocation;

/** Encoded bytes in a tree of values. They are copied into the output unchanged. */
export class Wire {
  readonly #head: Uint8Array;
  readonly #body: Uint8Array;

  constructor(head: Uint8Array, body: Uint8Array = new Uint8Array()) {
    this.#head = head;
    this.#body = body;
  }

  /** Copies the bytes to the place that msgpackr allocates for them. */
  writeTo(allocate: Allocate): void {
    const { target, position } = allocate(this.#head.length + this.#body.length);
    target.set(this.#head, position);
    target.set(this.#body, position + this.#head.length);
  }
}

/** The header of an extension: its length, in the shortest form, and its code. */
function extHead(code: number, length: number): Uint8Array {
  const fixed = { 1: 0xd4, 2: 0xd5, 4: 0xd6, 8: 0xd7, 16: 0xd8 }[length];
  if (fixed !== undefined) return Uint8Array.of(fixed, code);
  if (length < 0x100) return Uint8Array.of(0xc7, length, code);
  if (length < 0x10000) return Uint8Array.of(0xc8, length >> 8, length & 0xff, code);
  return Uint8Array.of(0xc9, length >>> 24, (length >> 16) & 0xff, (length >> 8) & 0xff, length & 0xff, code);
}

/** Encodes an extension with the given code and payload. */
export function extension(code: number, payload: Uint8Array = new Uint8Array()): Wire {
  return new Wire(extHead(code, payload.length), payload);
}

/** Encodes a float64, also for a whole number. */
export function float64(value: number): Wire {
  return new Wire(float64Bytes(value));
}

/** The bytes of a float64. */
export function float64Bytes(value: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(9);
  bytes[0] = 0xcb;
  bytes.writeDoubleBE(value, 1);
  return bytes;
}

// The whole process shares msgpackr's extension table. Only this file uses the class `Wire`, so no other user's value matches
// it, and no stored byte can hold code 256, so no other user's decoder meets it. The extension writes its own header, because
// msgpackr refuses code 0. It returns nothing, so that msgpackr writes none.
const wireExtension = {
  Class: Wire,
  type: 256,
  pack: (wire: Wire, allocate: Allocate): void => {
    wire.writeTo(allocate);
  },
};
// msgpackr's declaration has neither the second argument nor the missing result, so the type hides `pack`.
const registration: Pick<typeof wireExtension, "Class" | "type"> = wireExtension;
addExtension(registration);

const packr = new Packr({ useRecords: false, variableMapSize: true, useToJSON: false });

/** Packs a tree of plain values and {@link Wire}s. A Map becomes a map with the same keys. */
export function pack(value: unknown): Uint8Array {
  return packr.pack(value);
}

const NEGATIVE_ZERO = float64(-0);
const MIN_INT64 = -(2n ** 63n);
const MAX_UINT64 = 2n ** 64n - 1n;

/** The encoding of `undefined`. */
export const ENCODED_UNDEFINED = extension(EXT.UNDEFINED);

/** Whether UTF-8 can hold the string: it has no lone surrogate. */
export function isWellFormed(text: string): boolean {
  return toUSVString(text) === text;
}

/** Encodes a string, also one that UTF-8 can't hold. */
export function encodeString(text: string): unknown {
  return isWellFormed(text) ? text : extension(EXT.UTF16, Buffer.from(text, "utf16le"));
}

/** Encodes a number: a safe integer as an integer, any other number as a float64. */
export function encodeNumber(value: number): unknown {
  if (!Number.isInteger(value)) return value;
  if (value === 0) return Object.is(value, -0) ? NEGATIVE_ZERO : 0;
  // msgpackr writes an integer beyond 32 bits as a float64, unless it is a BigInt.
  const fits32Bits = value >= -0x80000000 && value <= 0xffffffff;
  return fits32Bits || !Number.isSafeInteger(value) ? value : BigInt(value);
}

/** Whether a BigInt is an integer that MessagePack can hold and that is not read back as a number. */
export function isLongInteger(value: bigint): boolean {
  const isNumber = value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER;
  return !isNumber && isOf64Bits(value);
}

/** Whether MessagePack can hold a BigInt as an integer. */
export function isOf64Bits(value: bigint): boolean {
  return value >= MIN_INT64 && value <= MAX_UINT64;
}

/**
 * Encodes a BigInt: as an integer of MessagePack if it is read back as a BigInt, otherwise as an extension. Python reads no integer
 * beyond 64 bits from MessagePack. One that may have been a float there, it reads as that float.
 */
export function encodeBigInt(value: bigint): unknown {
  if (isLongInteger(value)) return value;
  const exact = extension(EXT.BIGINT, Buffer.from(value.toString(16), "latin1"));
  if (isOf64Bits(value) || !mayBeFloat(value)) return exact;
  // Python ignores what follows the argument.
  return extension(EXT.PYTHON_SINGLE_ARG, pack(["builtins", "float", float64(Number(value)), [exact]]));
}

/** The most hexadecimal digits of a float, and a sign. */
const MAX_FLOAT_DIGITS = 257;

/** Whether a float is the integer, or JSONB prints a float of Python with the same digits: 1e23 is not the integer that it is printed as. */
function mayBeFloat(value: bigint): boolean {
  if (value.toString(16).length > MAX_FLOAT_DIGITS) return false;
  const float = Number(value);
  return Number.isFinite(float) && (BigInt(float) === value || !isReadAsBigInt(String(value), "jsonb"));
}
