import { types } from "node:util";
import { isExactly } from "./inspect-object.js";

/** What a boxed value such as `new String("a")` holds. `undefined` for any other object, and for one with properties of its own. */
export function unboxed(value: object): string | number | boolean | undefined {
  const name = types.isStringObject(value)
    ? "String"
    : types.isNumberObject(value)
      ? "Number"
      : types.isBooleanObject(value)
        ? "Boolean"
        : undefined;
  if (name === undefined || !isExactly(value, name, 2)) return undefined;
  const primitive: unknown = value.valueOf();
  const isBare = Reflect.ownKeys(value).length === Reflect.ownKeys(Object(primitive) as object).length;
  return isBare && isBoxable(primitive) ? primitive : undefined;
}

/** Whether a value is a primitive that {@link unboxed} returns. */
export function isBoxable(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
