/** The name in type tags of the encryption of `AesGcmSerializer`, which binds a value to its row. */
export const AES_GCM_LAYER = "aes-256-gcm";

/** Whether the layers of a type tag, such as `msgpack+zstd+aes-256-gcm`, include that encryption. */
export function isAesGcm(type: string | null): boolean {
  const [, ...layers] = type?.split("+") ?? [];
  return layers.includes(AES_GCM_LAYER);
}
