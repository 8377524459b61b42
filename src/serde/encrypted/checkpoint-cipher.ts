/**
 * What encrypts stored values: Python's `CipherProtocol`, each half of which may also return a promise.
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
   * @returns the name that is stored behind the type tag, as in `msgpack+aes`, and the ciphertext; a name without "+", and
   *   none of `zstd`, `br`, `gzip`
   */
  encrypt(plaintext: Uint8Array): EncryptedBytes | Promise<EncryptedBytes>;

  /**
   * Decrypts what was encrypted under `name`.
   *
   * @throws for a name that it does not know, and for a ciphertext that is not genuine
   */
  decrypt(name: string, ciphertext: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

/** The name of a cipher and what it made. */
export type EncryptedBytes = readonly [name: string, ciphertext: Uint8Array];
