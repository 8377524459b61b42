/**
 * How many levels of JSON arrays and objects a value may be nested. `JSON.stringify` overflows the stack at about
 * 5,000 on an empty stack; this leaves room for a caller that is already deep in its own calls.
 */
export const MAX_JSON_DEPTH = 2_000;
