/**
 * The maximum nesting depth of MessagePack containers and extensions, for writing and reading. Python's reader fails at a little
 * more, and deeper nesting could exhaust the stack. A plain object or an array counts as one level, a value that is written as
 * an extension as four.
 */
export const MAX_DEPTH = 1000;
