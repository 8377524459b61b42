import { toUSVString } from "node:util";
import { isReadAsBigInt } from "../json/big-integers.js";
import { EXT } from "./ext-codes.js";
import { extension, float64, pack } from "./wire.js";

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
