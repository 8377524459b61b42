/**
 * How many levels of JSON arrays and objects a value may be nested. The walks and `JSON.stringify` overflow the default
 * stack at about 4,000; this leaves room for a caller that is already deep in its own calls.
 */
export const MAX_JSON_DEPTH = 1_000;

/** How many digits an integer may have: as many as a JSONB column keeps, which is also more than Python reads. */
export const MAX_DIGITS = 131_072;
