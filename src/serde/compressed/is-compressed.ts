import { isCompression } from "./codecs.js";

/** Whether the layers of a type tag, such as `msgpack+zstd+aes-256-gcm`, include a compression algorithm. */
export function isCompressed(type: string | null): boolean {
  const [, ...layers] = type?.split("+") ?? [];
  return layers.some(isCompression);
}
