/** A type tag split at its outermost layer. The tag `msgpack+zstd+aes-256-gcm` has two layers. */
export interface LayeredTag {
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
