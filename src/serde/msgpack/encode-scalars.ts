import { toUSVString } from "node:util";
import { EXT } from "./ext-codes.js";
import { extension, float64 } from "./wire.js";

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

/** Encodes a BigInt: as an integer of MessagePack if it is read back as a BigInt, otherwise as an extension. */
export function encodeBigInt(value: bigint): unknown {
  if (isLongInteger(value)) return value;
  return extension(EXT.BIGINT, Buffer.from(value.toString(16), "latin1"));
}
