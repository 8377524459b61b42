import { types } from "node:util";
import { extraSymbol, isEnumerable } from "../objects/inspect-object.js";
import type { EncodeContext } from "./encode-context.js";
import { encodeString } from "./encode-scalars.js";
import { builtInErrorName } from "../objects/built-in-errors.js";
import { EXT } from "./ext-codes.js";

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
