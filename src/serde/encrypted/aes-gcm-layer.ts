/** What type tags call the encryption of `AesGcmSerializer`, which binds a value to its place. */
export const AES_GCM_LAYER = "aes-256-gcm";

/** Whether a type tag, such as `msgpack+zstd+aes-256-gcm`, names that encryption among its layers. */
export function isAesGcm(type: string | null): boolean {
  const [, ...layers] = type?.split("+") ?? [];
  return layers.includes(AES_GCM_LAYER);
}
