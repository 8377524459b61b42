/**
 * Every MessagePack extension code that this library reads or writes.
 *
 * Codes 0 to 7 belong to Python's checkpointer; their payload is MessagePack. The others belong to this library, for values that
 * JavaScript has and Python lacks. Python's reader turns an unknown code into `None`. None of them is a code that msgpackr uses
 * (0x42, 0x62, 0x65, 0x69, 0x70, 0x72 to 0x74, 0x78 and 0xff).
 *
 * A released code never changes its meaning, so that stored rows stay readable.
 */
export const EXT = {
  /** `[module, name, arg]`: the class called with one argument. */
  PYTHON_SINGLE_ARG: 0,
  /** `[module, name, args]`: the class called with positional arguments. */
  PYTHON_ARGS: 1,
  /** `[module, name, kwargs]`: the class called with keyword arguments. */
  PYTHON_KWARGS: 2,
  /** `[module, name, arg, method]`: a class method called with one argument. */
  PYTHON_METHOD: 3,
  /** `[module, name, fields]`: a pydantic 1 model. */
  PYDANTIC_V1: 4,
  /** `[module, name, fields, method]`: a pydantic 2 model. */
  PYDANTIC_V2: 5,
  /** `[dtype, shape, order, bytes]`: a numpy array. */
  NUMPY_ARRAY: 6,
  /** The value of a `DeltaSnapshot`. */
  DELTA_SNAPSHOT: 7,

  /** No payload: `undefined`. */
  UNDEFINED: 0x10,
  /** ASCII text such as `-ff`: a BigInt that MessagePack can't hold as an integer, or that would be read as a number. */
  BIGINT: 0x12,
  /** UTF-16, little endian: a string with lone surrogates, which UTF-8 can't hold. */
  UTF16: 0x13,
  /** `[k, v, k, v, …]`: a Map. */
  MAP: 0x14,
  /** `[class, own, hidden]`: an Error; `own` are its enumerable properties, `hidden` the others. */
  ERROR: 0x15,
  /** `[kind, bytes]`: an ArrayBuffer, DataView or typed array that has no numpy counterpart. */
  BINARY: 0x16,
  /** UTF-8: the href of a URL. */
  URL: 0x17,
  /** Float64 or nil: a Date that Python's `datetime` can't hold; nil is the invalid date. */
  DATE: 0x18,
  /** `[source, flags, lastIndex]`: a RegExp that does not mean the same in Python. `lastIndex` may be any value. */
  REGEXP: 0x19,
  /** `[length, i, v, i, v, …]`: an array with holes. */
  SPARSE_ARRAY: 0x1a,
  /** UTF-8: the JSON of a LangChain `lc: 1` constructor record. */
  LANGCHAIN: 0x1b,
  /** `[k, v, k, v, …]`: an object with a key that has lone surrogates. */
  OBJECT: 0x1c,
} as const;

/**
 * The maximum nesting depth of MessagePack containers and extensions, for writing and reading. Python's reader fails at a little
 * more, and deeper nesting could exhaust the stack. A plain object or an array counts as one level, a value that is written as
 * an extension as four.
 */
export const MAX_DEPTH = 1000;
