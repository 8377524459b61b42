/** A type tag of a value that one serializer wrote and others wrapped, such as `msgpack+zstd+aes-256-gcm`. */
export interface LayeredTag {
  /** The tag that the wrapped serializer wrote. */
  readonly inner: string;
  /** What the outermost layer is called, or `undefined` where there is none. */
  readonly layer: string | undefined;
}

/** Takes the outermost layer off a type tag. */
export function outermostLayer(type: string): LayeredTag {
  const plus = type.lastIndexOf("+");
  return plus === -1
    ? { inner: type, layer: undefined }
    : { inner: type.slice(0, plus), layer: type.slice(plus + 1) };
}
