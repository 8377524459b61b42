import { isCompression } from "./codecs.js";

/** Whether a type tag, such as `msgpack+zstd+aes-256-gcm`, names a compression among its layers. */
export function isCompressed(type: string | null): boolean {
  const [, ...layers] = type?.split("+") ?? [];
  return layers.some(isCompression);
}
