import { isReadAsBigInt } from "../../serde/json/big-integers.js";

/** The longest string that is kept inline, in UTF-16 code units: a longer one would be copied into every header. */
const MAX_INLINE_LENGTH = 1_024;

/** The most digits of an integer that Python reads from JSON. */
const MAX_PYTHON_DIGITS = 4_300;

/** What the header of a checkpoint can hold beside the versions, as Python's saver keeps it there. */
export type InlineValue = string | number | boolean | null | bigint;

/** From here on JSONB prints a number by its digits alone, which Python reads as an `int`, and from a blob as a `float`. */
const EXPONENT_THRESHOLD = 1e21;

/**
 * Whether JSONB holds `value` exactly: it has neither -0 nor NaN, and text in it no U+0000 and no lone surrogate.
 *
 * @param isCarried - Whether the value did not change: a large number may stand in the parent's header, and must not become
 *   a blob, which the checkpoints that have it inline would find by its version.
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

/** Whether a BigInt is read from JSONB as one again, and by Python, which reads no integer beyond 64 bits from a blob. */
function isInlineInteger(value: bigint): boolean {
  // Hexadecimal digits are counted fast, and a number has at least as many decimal ones.
  const size = value < 0n ? -value : value;
  if (size.toString(16).length > MAX_PYTHON_DIGITS) return false;
  const digits = String(size);
  return digits.length <= MAX_PYTHON_DIGITS && isReadAsBigInt(digits, "jsonb");
}

/** Whether Python's saver may have kept `value` inline, so that no blob is there for a later checkpoint to refer to. */
export function mayBeInline(value: unknown): boolean {
  return value === null || ["boolean", "number", "string", "bigint"].includes(typeof value);
}
