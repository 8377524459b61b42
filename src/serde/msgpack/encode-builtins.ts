import { types } from "node:util";
import { extraSymbol, isEnumerable, isExactly } from "../objects/inspect-object.js";
import { pythonOriginOf } from "../python/python-origin.js";
import { toPythonDatetime } from "./date-text.js";
import { refuseExtra } from "./encode-collections.js";
import type { EncodeContext } from "./encode-context.js";
import { pythonTuple } from "./encode-origin.js";
import { encodeString } from "./encode-scalars.js";
import { EXT } from "./ext-codes.js";
import { toPythonPattern } from "./python-regexp.js";
import { extension } from "./wire.js";
import { unboxed } from "../objects/boxed.js";
import { builtInErrorName } from "../objects/built-in-errors.js";

/** Encodes a Date as Python's `datetime`, in the text that it was read from if it is still the same instant. */
export function encodeDate(value: object, context: EncodeContext): unknown {
  if (!types.isDate(value) || !isExactly(value, "Date", 2)) return undefined;
  refuseExtra(value, "a Date", context);
  const written = pythonOriginOf(value)?.written;
  const text = written?.value === value.getTime() ? written.argument : toPythonDatetime(value);
  if (text === undefined)
    return context.extension(EXT.DATE, Number.isNaN(value.getTime()) ? null : value.getTime());
  return context.extension(EXT.PYTHON_METHOD, pythonTuple("datetime", "datetime", text, "fromisoformat"));
}

/** Encodes a RegExp as Python's `re.compile` where both match the same strings. */
export function encodeRegExp(value: object, context: EncodeContext): unknown {
  if (!types.isRegExp(value) || !isExactly(value, "RegExp", 2)) return undefined;
  refuseExtra(value, "a RegExp", context);
  const written = pythonOriginOf(value)?.written;
  const isAsWritten = written?.value === String(value) && Object.is(value.lastIndex, 0);
  const pattern = isAsWritten ? written.argument : toPythonPattern(value);
  if (pattern === undefined) {
    // Any value may be assigned to `lastIndex`, also an object.
    const lastIndex = context.within(value, () => context.at("lastIndex", value.lastIndex));
    return context.extension(EXT.REGEXP, [encodeString(value.source), value.flags, lastIndex]);
  }
  return context.extension(EXT.PYTHON_ARGS, pythonTuple("re", "compile", pattern));
}

/** Encodes a URL as its href. */
export function encodeUrl(value: object, context: EncodeContext): unknown {
  if (!(value instanceof URL) || Object.getPrototypeOf(value) !== URL.prototype) return undefined;
  refuseExtra(value, "a URL", context);
  return extension(EXT.URL, Buffer.from(value.href, "utf8"));
}

/** Encodes a boxed text, number or boolean as a call of Python's class, which returns the primitive. */
export function encodeBoxed(value: object, context: EncodeContext): unknown {
  const primitive = unboxed(value);
  if (primitive === undefined) return undefined;
  const encoded = context.within(value, () => context.at("valueOf()", primitive));
  return context.extension(EXT.PYTHON_SINGLE_ARG, pythonTuple("builtins", pythonClassOf(primitive), encoded));
}

function pythonClassOf(primitive: string | number | boolean): string {
  if (typeof primitive === "string") return "str";
  return typeof primitive === "number" ? "float" : "bool";
}

/**
 * Encodes an Error of a built-in class with all its own properties: message, stack, cause, errors and added ones. Enumerable
 * properties and others are written apart, so that both are restored as they were.
 */
export function encodeError(value: object, context: EncodeContext): unknown {
  const className = types.isNativeError(value) ? builtInErrorName(value) : undefined;
  if (className === undefined) return undefined;
  const symbol = extraSymbol(value);
  if (symbol !== undefined) return context.fail(`a property named by a symbol, ${symbol}, can't be stored`);
  const names = Object.getOwnPropertyNames(value);
  const parts = context.within(value, () => [
    encodeProperties(
      value,
      names.filter((name) => isEnumerable(value, name)),
      context,
    ),
    encodeProperties(
      value,
      names.filter((name) => !isEnumerable(value, name)),
      context,
    ),
  ]);
  return context.extension(EXT.ERROR, [className, ...parts]);
}

function encodeProperties(
  value: object,
  names: readonly string[],
  context: EncodeContext,
): Map<unknown, unknown> {
  return new Map(names.map((name) => [encodeString(name), context.at(name, Reflect.get(value, name))]));
}
