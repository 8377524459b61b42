/**
 * The symbol under which an object remembers which Python value it was read from.
 *
 * The property is not enumerable, so that the object compares, prints and spreads like any other of its shape: a copy
 * made by spreading is a new value of the application's own, and is written as the plain object that it is.
 *
 * @example
 * ```ts
 * const policy = tuple.checkpoint.channel_values.policy; // { run_timeout: 5, … }
 * policy[PYTHON_ORIGIN]; // { code: 2, module: "langgraph.types", name: "TimeoutPolicy" }
 * ```
 */
export const PYTHON_ORIGIN: unique symbol = Symbol.for("langgraph-checkpoint-kysely.pythonOrigin");

/**
 * The symbol under which an object, array or Map remembers which of its entries stood for a Python value that JavaScript
 * reads as a primitive: a UUID, a Decimal, an enum member, a float that is whole. Not enumerable either.
 */
export const PYTHON_SCALARS: unique symbol = Symbol.for("langgraph-checkpoint-kysely.pythonScalars");

/** What a value was in Python: enough to write it as the same value again. */
export interface PythonOrigin {
  /** The extension code that it was read from, or `PYTHON_DICT`. */
  readonly code: number;
  readonly module: string;
  readonly name: string;
  /** The class method that makes it from its argument. */
  readonly method?: string | undefined;
  /** For an object that stands for positional arguments: the names that they were given, in order. */
  readonly fields?: readonly string[] | undefined;
  /** For a value that JavaScript holds in another form: what Python wrote, valid while the value is unchanged. */
  readonly written?: { readonly argument: unknown; readonly value: unknown } | undefined;
  /**
   * For a dict or a set: the bytes of the keys or members that JavaScript reads as primitives. Several members of a set
   * may be one member of a Set, as a UUID and its text.
   */
  readonly spellings?: Spellings | undefined;
  /** For a typed array that was a numpy array. */
  readonly array?: NumpyLayout | undefined;
}

/** How a numpy array lies in memory. */
export interface NumpyLayout {
  /** numpy's name for the type of an element, such as `<f4`. */
  readonly dtype: string;
  /** The number of elements along each axis. */
  readonly shape: readonly number[];
  /** `C` for rows first, `F` for columns first. */
  readonly order: string;
}

/** The code of a dict whose keys are not all strings, which is read as a Map and is no extension. */
export const PYTHON_DICT = -1;

/** A primitive as it was read, and the bytes that it was read from. */
export interface PythonScalar {
  readonly value: unknown;
  readonly bytes: Uint8Array;
}

/**
 * The entries of an object, array or Map that stood for a Python value that JavaScript reads as a primitive: by name, by
 * index as text, or by key.
 */
export type PythonScalars = ReadonlyMap<unknown, PythonScalar>;

/** What primitives were read from, by the primitive. */
export type Spellings = ReadonlyMap<unknown, readonly Uint8Array[]>;

/** What Python value `value` was read from, if it was and remembers it. */
export function pythonOriginOf(value: object): PythonOrigin | undefined {
  return hasOrigin(value) ? value[PYTHON_ORIGIN] : undefined;
}

/** Lets `value` remember what it was in Python. */
export function rememberOrigin<T extends object>(value: T, origin: PythonOrigin): T {
  return Object.defineProperty(value, PYTHON_ORIGIN, { value: origin, configurable: true, writable: true });
}

/** Lets a copy remember what the original does. */
export function copyOrigin<T extends object>(original: object, copy: T): T {
  const origin = pythonOriginOf(original);
  return origin === undefined ? copy : rememberOrigin(copy, origin);
}

/** Which entries of `value` stood for a Python value that JavaScript reads as a primitive. */
export function pythonScalarsOf(value: object): PythonScalars | undefined {
  return hasScalars(value) ? value[PYTHON_SCALARS] : undefined;
}

/** Lets `value` remember which of its entries were another type in Python. */
export function rememberScalars<T extends object>(value: T, scalars: PythonScalars | undefined): T {
  if (scalars === undefined || scalars.size === 0) return value;
  return Object.defineProperty(value, PYTHON_SCALARS, { value: scalars, configurable: true, writable: true });
}

function hasOrigin(value: object): value is { [PYTHON_ORIGIN]: PythonOrigin } {
  return Object.hasOwn(value, PYTHON_ORIGIN);
}

function hasScalars(value: object): value is { [PYTHON_SCALARS]: PythonScalars } {
  return Object.hasOwn(value, PYTHON_SCALARS);
}
