import { InvalidConfigError } from "../errors/index.js";
import { isObject } from "./msgpack/prototypes.js";

/**
 * The serializer itself, once it is known to be one: else the first write would fail, or options that were given in its
 * place be left out without a word.
 *
 * @throws {@link InvalidConfigError} for whatever has no `dumpsTyped` and `loadsTyped`
 */
export function checkedSerializer<Serde extends object>(serde: Serde): Serde {
  if (isSerializer(serde)) return serde;
  throw new InvalidConfigError("serde", "must be a serializer, which has dumpsTyped and loadsTyped");
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
