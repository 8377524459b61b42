/**
 * The maximum nesting depth of JSON arrays and objects. The encoder, the decoder and `JSON.stringify` overflow the default stack
 * at about 4,000 levels; the limit leaves stack for a caller with deep calls of its own.
 */
export const MAX_JSON_DEPTH = 1_000;

/** The maximum number of digits of an integer: the limit of a JSONB column, which exceeds Python's limit. */
export const MAX_DIGITS = 131_072;
