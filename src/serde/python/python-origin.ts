import { isArray, isRecord } from "../objects/inspect-object.js";

/**
 * The symbol under which an object keeps the Python value that it was read from.
 *
 * The property is not enumerable, so the object compares, prints and spreads like any other object of its shape. A copy made
 * by spreading is a new value of the application, and is written as a plain object.
 *
 * @example
 * ```ts
 * const policy = tuple.checkpoint.channel_values.policy; // { run_timeout: 5, … }
 * policy[PYTHON_ORIGIN]; // { code: 2, module: "langgraph.types", name: "TimeoutPolicy" }
 * ```
 *
 * @experimental
 */
export const PYTHON_ORIGIN: unique symbol = Symbol.for("langgraph-checkpoint-kysely.pythonOrigin");

/**
 * The symbol under which an object, array or Map keeps those of its entries that were read from a Python value that JavaScript
 * has no type for: a UUID, a Decimal, an enum member, a whole float. The property is not enumerable.
 */
export const PYTHON_SCALARS: unique symbol = Symbol.for("langgraph-checkpoint-kysely.pythonScalars");

/**
 * The Python value that a value was read from, with all that is needed to write the same value again.
 *
 * @experimental
 */
export interface PythonOrigin {
  /** The extension code in the stored bytes, or `PYTHON_DICT`. */
  readonly code: number;
  readonly module: string;
  readonly name: string;
  /**
   * The class method that creates the value from its argument.
   *
   * @internal
   */
  readonly method?: string | undefined;
  /**
   * For an object that represents positional arguments: the names of the arguments, in order.
   *
   * @internal
   */
  readonly fields?: readonly string[] | undefined;
  /**
   * For a value that JavaScript holds in another form: the argument that Python wrote, valid while the value is unchanged.
   *
   * @internal
   */
  readonly written?: { readonly argument: unknown; readonly value: unknown } | undefined;
  /**
   * For a dict or a set: the bytes of the keys or members that JavaScript reads as primitives. Several members of a set may
   * become one member of a Set, such as a UUID and its text.
   *
   * @internal
   */
  readonly spellings?: Spellings | undefined;
  /**
   * For a typed array that was a numpy array.
   *
   * @internal
   */
  readonly array?: NumpyLayout | undefined;
}

/** The memory layout of a numpy array. */
export interface NumpyLayout {
  /** numpy's name for the type of an element, such as `<f4`. */
  readonly dtype: string;
  /** The number of elements along each axis. */
  readonly shape: readonly number[];
  /** `C` for rows first, `F` for columns first. */
  readonly order: string;
}

/** The code of a dict whose keys are not all strings. It is read as a Map, and is not a MessagePack extension. */
export const PYTHON_DICT = -1;

/** A primitive, and the bytes that it was read from. */
export interface PythonScalar {
  readonly value: unknown;
  readonly bytes: Uint8Array;
}

/**
 * The entries of an object, array or Map that were read from a Python value that JavaScript has no type for: by name, by index
 * as text, or by key.
 */
export type PythonScalars = ReadonlyMap<unknown, PythonScalar>;

/** The bytes that primitives were read from, by the primitive. */
export type Spellings = ReadonlyMap<unknown, readonly Uint8Array[]>;

/** The Python value that `value` was read from, if it keeps one. */
export function pythonOriginOf(value: object): PythonOrigin | undefined {
  return hasOrigin(value) ? value[PYTHON_ORIGIN] : undefined;
}

/** Whether the data of a Python value can itself keep where it is from. Data that does so already, or is of a class, is put into an object. */
export function mayKeepOrigin(data: object): boolean {
  return (isArray(data) || isRecord(data)) && pythonOriginOf(data) === undefined;
}

/** Makes `value` keep the Python value that it was read from. */
export function rememberOrigin<T extends object>(value: T, origin: PythonOrigin): T {
  return Object.defineProperty(value, PYTHON_ORIGIN, { value: origin, configurable: true, writable: true });
}

/** Makes a copy keep the Python value that the original keeps. */
export function copyOrigin<T extends object>(original: object, copy: T): T {
  const origin = pythonOriginOf(original);
  return origin === undefined ? copy : rememberOrigin(copy, origin);
}

/** The entries of `value` that were read from a Python value that JavaScript has no type for. */
export function pythonScalarsOf(value: object): PythonScalars | undefined {
  return hasScalars(value) ? value[PYTHON_SCALARS] : undefined;
}

/** Makes `value` keep those of its entries that had another type in Python. */
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
