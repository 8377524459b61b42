import { randomBytes } from "node:crypto";
import { DeserializationError, InvalidConfigError } from "../../errors/index.js";
import { decryptEax, encryptEax } from "./aes-eax.js";
import type { CheckpointCipher } from "./checkpoint-cipher.js";

const NONCE_BYTES = 16;
const TAG_BYTES = 16;
const KEY_BYTES: readonly number[] = [16, 24, 32];

/** The environment variable with the key, which Python's checkpointer reads too. */
export const KEY_VARIABLE = "LANGGRAPH_AES_KEY";

/**
 * A cipher in the format of Python's `EncryptedSerializer.from_pycryptodome_aes`: AES-EAX, as nonce, tag and ciphertext.
 *
 * @param key - 16, 24 or 32 bytes, or a string of as many bytes in UTF-8; `LANGGRAPH_AES_KEY` if undefined
 * @throws {@link InvalidConfigError} for a key of another length, or without a key
 */
export function aesCipher(key: Uint8Array | string | undefined): CheckpointCipher {
  const secret = toKeyBytes(key);
  return {
    encrypt: (plaintext) => ["aes", encrypt(secret, plaintext)],
    decrypt: (name, ciphertext) => decrypt(secret, name, ciphertext),
  };
}

function encrypt(key: Uint8Array, plaintext: Uint8Array): Uint8Array {
  const { nonce, tag, ciphertext } = encryptEax(key, randomBytes(NONCE_BYTES), plaintext);
  return Buffer.concat([nonce, tag, ciphertext]);
}

function decrypt(key: Uint8Array, name: string, data: Uint8Array): Uint8Array {
  if (name !== "aes")
    throw new DeserializationError(`the value is encrypted by "${name}", and the given key is for "aes"`);
  const plaintext = decryptEax(key, {
    nonce: data.subarray(0, NONCE_BYTES),
    tag: data.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES),
    ciphertext: data.subarray(NONCE_BYTES + TAG_BYTES),
  });
  if (plaintext !== undefined) return plaintext;
  throw new DeserializationError(
    "the value can't be decrypted: it was encrypted with another key, or changed since",
  );
}

function toKeyBytes(given: Uint8Array | string | undefined): Uint8Array {
  const field = given === undefined ? KEY_VARIABLE : "key";
  const key = given ?? process.env[KEY_VARIABLE];
  if (key === undefined) throw new InvalidConfigError(field, "is not set, and no key was given");
  // A copy, so that the caller may overwrite its own.
  const bytes = Uint8Array.from(typeof key === "string" ? Buffer.from(key, "utf8") : key);
  if (KEY_BYTES.includes(bytes.length)) return bytes;
  throw new InvalidConfigError(field, `must be 16, 24 or 32 bytes long, and is ${bytes.length}`);
}
