/**
 * Encrypts and decrypts stored values, like Python's `CipherProtocol`. Both methods may also return a promise.
 *
 * @example
 * ```ts
 * const vault: CheckpointCipher = {
 *   encrypt: async (plaintext) => ["vault", await vaultClient.encrypt(plaintext)],
 *   decrypt: async (name, ciphertext) => await vaultClient.decrypt(ciphertext),
 * };
 * ```
 */
export interface CheckpointCipher {
  /**
   * Encrypts the bytes of a value.
   *
   * @returns the name of the cipher, which is appended to the type tag as in `msgpack+aes`, and the ciphertext; the name must not
   *   contain "+" or be `zstd`, `br` or `gzip`
   */
  encrypt(plaintext: Uint8Array): EncryptedBytes | Promise<EncryptedBytes>;

  /**
   * Decrypts bytes that the cipher `name` encrypted.
   *
   * @throws for an unknown name, and for a ciphertext that is not authentic
   */
  decrypt(name: string, ciphertext: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

/** The name of a cipher and its ciphertext. */
export type EncryptedBytes = readonly [name: string, ciphertext: Uint8Array];
