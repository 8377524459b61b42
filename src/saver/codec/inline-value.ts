import { isReadAsBigInt } from "../../serde/json/big-integers.js";

/** The longest inline string in UTF-16 code units. A longer one would be copied into every header. */
const MAX_INLINE_LENGTH = 1_024;

/** The largest number of digits of an integer that Python reads from JSON. */
const MAX_PYTHON_DIGITS = 4_300;

/** The values that the header of a checkpoint can hold beside the versions, as in Python's saver. */
export type InlineValue = string | number | boolean | null | bigint;

/** From this number on JSONB prints only digits. Python reads that as an `int`, and a blob as a `float`. */
const EXPONENT_THRESHOLD = 1e21;

/**
 * Whether JSONB stores `value` exactly. It has no -0 and no NaN, and its text has no U+0000 and no lone surrogate.
 *
 * @param isCarried - Whether the value did not change. A large number may be in the parent's header. It must not
 *   become a blob, because checkpoints that have it inline would find that blob by its version.
 */
export function isInlineValue(value: unknown, isCarried: boolean): value is InlineValue {
  switch (typeof value) {
    case "boolean":
      return true;
    case "number":
      return Math.abs(value) < (isCarried ? Infinity : EXPONENT_THRESHOLD) && !Object.is(value, -0);
    case "bigint":
      return isInlineInteger(value);
    case "string":
      return value.length <= MAX_INLINE_LENGTH && !/\0|\p{Surrogate}/u.test(value);
    default:
      return value === null;
  }
}

/**
 * Whether JSONB returns a BigInt as a BigInt, and Python can read it. Python reads no integer of more than 64 bits
 * from a blob.
 */
function isInlineInteger(value: bigint): boolean {
  // Hexadecimal digits are fast to count, and a number has at least as many decimal ones.
  const size = value < 0n ? -value : value;
  if (size.toString(16).length > MAX_PYTHON_DIGITS) return false;
  const digits = String(size);
  return digits.length <= MAX_PYTHON_DIGITS && isReadAsBigInt(digits, "jsonb");
}

/**
 * Whether Python's saver may have stored `value` inline, so that there is no blob which a later checkpoint could
 * reference.
 */
export function mayBeInline(value: unknown): boolean {
  return value === null || ["boolean", "number", "string", "bigint"].includes(typeof value);
}
