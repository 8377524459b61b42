/** The longest inline string in UTF-16 code units. A longer one would be copied into every header. */
const MAX_INLINE_LENGTH = 1_024;

/** The largest number of digits of an integer that Python reads from JSON. */
const MAX_PYTHON_DIGITS = 4_300;

/** The values that the header of a checkpoint can hold beside the versions, as in Python's saver. */
export type InlineValue = string | number | boolean | null | bigint;

/**
 * Whether JSONB stores `value` exactly, and both languages read it back as what it is. JSONB has no -0 and no NaN, and its text has no
 * U+0000 and no lone surrogate. It prints a large number without its exponent, and then it is an integer: a BigInt, and an `int` in Python.
 */
export function isInlineValue(value: unknown): value is InlineValue {
  switch (typeof value) {
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER && !Object.is(value, -0);
    case "bigint":
      return isInlineInteger(value);
    case "string":
      return value.length <= MAX_INLINE_LENGTH && !/\0|\p{Surrogate}/u.test(value);
    default:
      return value === null;
  }
}

/**
 * Whether a header returns a BigInt as a BigInt, and Python can read it. Python reads no integer of more than 64 bits
 * from a blob.
 */
function isInlineInteger(value: bigint): boolean {
  // Hexadecimal digits are fast to count, and a number has at least as many decimal ones.
  const size = value < 0n ? -value : value;
  return (
    size > Number.MAX_SAFE_INTEGER &&
    size.toString(16).length <= MAX_PYTHON_DIGITS &&
    String(size).length <= MAX_PYTHON_DIGITS
  );
}

/**
 * Whether Python's saver may have stored `value` inline, so that there is no blob which a later checkpoint could
 * reference.
 */
export function mayBeInline(value: unknown): boolean {
  return value === null || ["boolean", "number", "string", "bigint"].includes(typeof value);
}
