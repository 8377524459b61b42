import { InvalidConfigError } from "../../errors/index.js";
import { isObject } from "../objects/type-guards.js";

/**
 * Returns the serializer after checking that it is one. Without the check the first write would fail, and options that a
 * caller passed in place of the serializer would be ignored.
 *
 * @throws {@link InvalidConfigError} for a value without `dumpsTyped` and `loadsTyped`
 */
export function checkedSerializer<Serde extends object>(serde: Serde): Serde {
  if (isSerializer(serde)) return serde;
  throw new InvalidConfigError("serde", "must be a serializer with dumpsTyped and loadsTyped");
}

function isSerializer(serde: unknown): boolean {
  try {
    return (
      isObject(serde) &&
      typeof Reflect.get(serde, "dumpsTyped") === "function" &&
      typeof Reflect.get(serde, "loadsTyped") === "function"
    );
  } catch {
    return false;
  }
}
