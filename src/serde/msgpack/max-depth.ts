/**
 * How many MessagePack containers and extensions may lie in one another, on the way out and in. Python's reader gives up
 * a little above; deeper nesting would only be a way to exhaust the stack. A literal object or an array takes one level,
 * a value that is written as an extension counts as four.
 */
export const MAX_DEPTH = 1000;
