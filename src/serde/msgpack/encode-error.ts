import { types } from "node:util";
import { classNameOf } from "../json/inspect-object.js";
import type { EncodeContext } from "./encode-context.js";
import { encodeString } from "./encode-scalars.js";
import { ERROR_FACTORIES } from "./error-classes.js";
import { EXT } from "./ext-codes.js";
import { extraSymbol, prototypeDepth } from "./prototypes.js";

/**
 * An Error of a built-in class with all its own properties: message, stack, cause, errors and whatever was added. Those
 * that are not enumerable, as the first four usually are, are kept apart, so that they come back as they were.
 */
export function encodeError(value: object, context: EncodeContext): unknown {
  if (!types.isNativeError(value) || !isBuiltIn(value)) return undefined;
  const symbol = extraSymbol(value);
  if (symbol !== undefined) return context.fail(`a property named by a symbol, ${symbol}, can't be stored`);
  const names = Object.getOwnPropertyNames(value);
  const isEnumerable = (name: string): boolean => Object.prototype.propertyIsEnumerable.call(value, name);
  const parts = context.within(value, () => [
    encodeProperties(value, names.filter(isEnumerable), context),
    encodeProperties(
      value,
      names.filter((name) => !isEnumerable(name)),
      context,
    ),
  ]);
  return context.extension(EXT.ERROR, [classNameOf(value), ...parts]);
}

function isBuiltIn(value: Error): boolean {
  const name = classNameOf(value);
  return Object.hasOwn(ERROR_FACTORIES, name) && prototypeDepth(value) === (name === "Error" ? 2 : 3);
}

function encodeProperties(
  value: Error,
  names: readonly string[],
  context: EncodeContext,
): Map<unknown, unknown> {
  return new Map(names.map((name) => [encodeString(name), context.at(name, Reflect.get(value, name))]));
}
