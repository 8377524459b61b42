import { messageOfThrown } from "../../errors/thrown.js";
import {
  withTypeTag,
  checkedSerializer,
  outermostLayer,
  type SerializerLayer,
  toBytes,
} from "../serializer-layer.js";
import { DeserializationError, SerializationError, InvalidConfigError } from "../../errors/index.js";
import { isCompression } from "../compressed/codecs.js";
import { MsgpackSerializer } from "../msgpack/msgpack-serializer.js";
import type { ContextualSerializer, ValueContext } from "../serde-context.js";
import { encryptEax, decryptEax } from "./aes-eax.js";
import { randomBytes } from "node:crypto";

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

/** The environment variable with the key, which Python's checkpointer reads too. */
export const KEY_VARIABLE = "LANGGRAPH_AES_KEY";

/**
 * Encrypts the output of another serializer in the format of Python's `EncryptedSerializer`, so that services in both languages
 * can share encrypted threads. It also reads rows that were written without encryption.
 *
 * It encrypts channel values and pending writes. It does not encrypt ids, versions and metadata, which queries need.
 *
 * @example
 * ```ts
 * const serde = EncryptedSerializer.fromAesKey(); // LANGGRAPH_AES_KEY, as in Python
 * const checkpointer = new PostgresSaver(url, serde);
 * ```
 */
export class EncryptedSerializer implements SerializerLayer {
  readonly #serde: ContextualSerializer;
  readonly #cipher: CheckpointCipher;

  /**
   * @param cipher - the cipher that encrypts values
   * @param serde - the serializer to wrap, `MsgpackSerializer` by default
   */
  constructor(cipher: CheckpointCipher, serde: ContextualSerializer = new MsgpackSerializer()) {
    this.#cipher = cipher;
    this.#serde = checkedSerializer(serde);
  }

  /** The serializer whose bytes this one encrypts. */
  get wrapped(): ContextualSerializer {
    return this.#serde;
  }

  /**
   * Creates a serializer that encrypts by AES-EAX, like Python's `EncryptedSerializer.from_pycryptodome_aes`.
   *
   * @param key - 16, 24 or 32 bytes, or a string of as many bytes in UTF-8; the environment variable `LANGGRAPH_AES_KEY` by
   *   default
   * @param serde - the serializer to wrap, `MsgpackSerializer` by default
   * @throws {@link InvalidConfigError} for a key of another length, or without a key
   *
   * @example
   * ```ts
   * const serde = EncryptedSerializer.fromAesKey(await secrets.get("checkpoints"));
   * ```
   */
  static fromAesKey(key?: Uint8Array | string, serde?: ContextualSerializer): EncryptedSerializer {
    return new EncryptedSerializer(aesCipher(key), serde);
  }

  /** Whether the wrapped serializer refuses values that are not encrypted. */
  get refusesPlaintext(): boolean {
    return this.#serde.refusesPlaintext ?? false;
  }

  /** Whether the wrapped serializer binds a value to its row. */
  bindsToPlace(type: string): boolean {
    return this.#serde.bindsToPlace?.(isEncrypted(type) ? outermostLayer(type).inner : type) ?? false;
  }

  /**
   * Encodes and encrypts a value.
   *
   * @param context - the row that will hold the value; passed on to the wrapped serializer
   * @returns a type tag such as `msgpack+aes`, and the ciphertext
   * @throws {@link SerializationError} for a value that can't be stored or encrypted
   */
  async dumpsTyped(value: unknown, context?: ValueContext): Promise<[string, Uint8Array]> {
    const [type, plaintext] = await this.#serde.dumpsTyped(value, context);
    return this.wrap(type, plaintext);
  }

  /**
   * Decrypts and reads a stored value. A value that is not encrypted is only read.
   *
   * @param type - the stored type tag
   * @param data - the bytes, or their text
   * @param context - the row that holds the value; passed on to the wrapped serializer
   * @throws {@link DeserializationError} for a wrong key, a changed row, and a value that the wrapped serializer can't read
   */
  async loadsTyped(type: string, data: Uint8Array | string, context?: ValueContext): Promise<unknown> {
    if (!isEncrypted(type)) return this.#serde.loadsTyped(type, data, context);
    const [inner, plaintext] = await this.unwrap(type, toBytes(data));
    return this.#serde.loadsTyped(inner, plaintext, context);
  }

  /** Encrypts what the wrapped serializer wrote; see {@link SerializerLayer}. */
  async wrap(type: string, plaintext: Uint8Array): Promise<[string, Uint8Array]> {
    const [name, ciphertext] = await this.#encrypt(plaintext);
    if (name.includes("+") || isCompression(name))
      throw new SerializationError(
        "",
        `invalid cipher name "${name}": it must not contain "+" or be the name of a compression algorithm`,
      );
    return [`${type}+${name}`, ciphertext];
  }

  /** Decrypts what {@link wrap} returned. Returns bytes as they are that are not encrypted. */
  async unwrap(type: string, data: Uint8Array): Promise<[string, Uint8Array]> {
    const { inner, layer } = outermostLayer(type);
    if (layer === undefined || isCompression(layer)) return [type, data];
    try {
      return [inner, await this.#cipher.decrypt(layer, data)];
    } catch (error) {
      if (error instanceof DeserializationError) throw withTypeTag(error, type);
      const problem = `the value can't be decrypted: ${messageOfThrown(error)}`;
      throw new DeserializationError(problem, { typeTag: type, cause: error });
    }
  }

  async #encrypt(plaintext: Uint8Array): Promise<readonly [string, Uint8Array]> {
    try {
      return await this.#cipher.encrypt(plaintext);
    } catch (error) {
      throw new SerializationError("", `the value can't be encrypted: ${messageOfThrown(error)}`, {
        cause: error,
      });
    }
  }
}

function isEncrypted(type: string): boolean {
  const { layer } = outermostLayer(type);
  return layer !== undefined && !isCompression(layer);
}

const NONCE_BYTES = 16;

const TAG_BYTES = 16;

const KEY_BYTES: readonly number[] = [16, 24, 32];

/**
 * A cipher in the format of Python's `EncryptedSerializer.from_pycryptodome_aes`: AES-EAX, as nonce, tag and ciphertext.
 *
 * @param key - 16, 24 or 32 bytes, or a string of as many bytes in UTF-8; `LANGGRAPH_AES_KEY` if undefined
 * @throws {@link InvalidConfigError} for a key of another length, or without a key
 */
function aesCipher(key: Uint8Array | string | undefined): CheckpointCipher {
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
