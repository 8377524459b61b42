import { isObject } from "./objects/inspect-object.js";
import type { ContextualSerializer, ValueContext } from "./serde-context.js";
import { DeserializationError, InvalidConfigError } from "../errors/index.js";

/**
 * A serializer that changes the bytes of another one, such as by compressing or encrypting them. With `splices`, the saver
 * compares the bytes of the wrapped serializer, and passes what it stores through `wrap`.
 *
 * `dumpsTyped(value, context)` must be `wrap` of what the wrapped serializer writes, and `loadsTyped` must read what `unwrap`
 * returns with the wrapped serializer.
 */
export interface SerializerLayer extends ContextualSerializer {
  /** The wrapped serializer. */
  readonly wrapped: ContextualSerializer;

  /**
   * Changes the bytes on the way to the database.
   *
   * @param type - the type tag of the bytes
   * @param context - the row that will hold the value, where known
   * @returns the type tag and the bytes to store
   */
  wrap(type: string, data: Uint8Array, context?: ValueContext): Promise<[string, Uint8Array]>;

  /**
   * Reverts `wrap`. It returns bytes as they are that do not have this layer.
   *
   * @param type - the stored type tag
   * @param context - the row that holds the value, where known
   */
  unwrap(type: string, data: Uint8Array, context?: ValueContext): Promise<[string, Uint8Array]>;
}

/** The serializer below all layers, whose bytes represent values. */
export function innermost(serde: ContextualSerializer): ContextualSerializer {
  return isLayer(serde) ? innermost(serde.wrapped) : serde;
}

/** Passes bytes of the innermost serializer through all layers. */
export async function wrapBytes(
  serde: ContextualSerializer,
  [type, data]: readonly [string, Uint8Array],
  context?: ValueContext,
): Promise<[string, Uint8Array]> {
  if (!isLayer(serde)) return [type, data];
  const [innerType, inner] = await wrapBytes(serde.wrapped, [type, data], context);
  return serde.wrap(innerType, inner, context);
}

/** Reverts {@link wrapBytes}. */
export async function unwrapBytes(
  serde: ContextualSerializer,
  [type, data]: readonly [string, Uint8Array],
  context?: ValueContext,
): Promise<[string, Uint8Array]> {
  if (!isLayer(serde)) return [type, data];
  return unwrapBytes(serde.wrapped, await serde.unwrap(type, data, context), context);
}

/**
 * Whether a serializer only changes the bytes of another one. A subclass that overrides `dumpsTyped` or `loadsTyped` but not the
 * methods of the layer may do more.
 */
function isLayer(serde: ContextualSerializer): serde is SerializerLayer {
  const owner = ownerOf(serde, "wrap");
  const methods = ["unwrap", "dumpsTyped", "loadsTyped"];
  return "wrapped" in serde && owner !== undefined && methods.every((name) => ownerOf(serde, name) === owner);
}

function ownerOf(serde: object, method: string): object | undefined {
  for (let owner: unknown = serde; isObject(owner); owner = Object.getPrototypeOf(owner)) {
    if (Object.hasOwn(owner, method)) return owner;
  }
  return undefined;
}

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
  const isMethod = (name: string): boolean =>
    isObject(serde) && typeof Reflect.get(serde, name) === "function";
  try {
    return isMethod("dumpsTyped") && isMethod("loadsTyped");
  } catch {
    return false;
  }
}

/** A type tag split at its outermost layer. The tag `msgpack+zstd+aes-256-gcm` has two layers. */
interface LayeredTag {
  /** The tag that the wrapped serializer wrote. */
  readonly inner: string;
  /** The name of the outermost layer, or `undefined` for a tag without layers. */
  readonly layer: string | undefined;
}

/** Splits the outermost layer from a type tag. */
export function outermostLayer(type: string): LayeredTag {
  const plus = type.lastIndexOf("+");
  return plus === -1
    ? { inner: type, layer: undefined }
    : { inner: type.slice(0, plus), layer: type.slice(plus + 1) };
}

/** The error of a layer with the type tag of the bytes; any other error as it is. */
export function withTypeTag(error: unknown, typeTag: string): unknown {
  if (!(error instanceof DeserializationError)) return error;
  return new DeserializationError(error.problem, { typeTag, cause: error.cause });
}

/** Refuses unknown options, so that a misspelt option is not silently ignored. */
export function refuseUnknownOptions(options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new InvalidConfigError(unknown, "unknown option");
}

/** The bytes of a stored value. LangGraph's interface allows text as well, one character for each byte. */
export function toBytes(data: Uint8Array | string): Uint8Array {
  return typeof data === "string" ? Buffer.from(data, "latin1") : data;
}
