import { isObject } from "../objects/type-guards.js";
import type { ContextualSerializer, ValueContext } from "../serde-context.js";

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
  return (
    "wrapped" in serde &&
    owner !== undefined &&
    ownerOf(serde, "unwrap") === owner &&
    ownerOf(serde, "dumpsTyped") === owner &&
    ownerOf(serde, "loadsTyped") === owner
  );
}

function ownerOf(serde: object, method: string): object | undefined {
  for (let owner: unknown = serde; isObject(owner); owner = Object.getPrototypeOf(owner)) {
    if (Object.hasOwn(owner, method)) return owner;
  }
  return undefined;
}
