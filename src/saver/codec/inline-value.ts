/** The longest string that is kept inline, in UTF-16 code units: a longer one would be copied into every header. */
const MAX_INLINE_LENGTH = 1_024;

/** What the header of a checkpoint can hold beside the versions, as Python's saver keeps it there. */
export type InlineValue = string | number | boolean | null;

/** From here on JavaScript prints a number with an exponent, and JSONB all of its digits, like those of a BigInt. */
const EXPONENT_THRESHOLD = 1e21;

/** Whether JSONB holds `value` exactly: it has neither -0 nor NaN, and text in it no U+0000 and no lone surrogate. */
export function isInlineValue(value: unknown): value is InlineValue {
  switch (typeof value) {
    case "boolean":
      return true;
    case "number":
      return Math.abs(value) < EXPONENT_THRESHOLD && !Object.is(value, -0);
    case "string":
      return value.length <= MAX_INLINE_LENGTH && !/\0|\p{Surrogate}/u.test(value);
    default:
      return value === null;
  }
}

/** Whether Python's saver may have kept `value` inline, so that no blob is there for a later checkpoint to refer to. */
export function mayBeInline(value: unknown): boolean {
  return value === null || ["boolean", "number", "string", "bigint"].includes(typeof value);
}
