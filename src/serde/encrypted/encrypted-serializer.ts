import { DeserializationError, SerializationError } from "../../errors/index.js";
import { isCompression } from "../compressed/codecs.js";
import { checkedSerializer } from "../layers/checked-serializer.js";
import { outermostLayer } from "../layers/layered-tag.js";
import type { SerializerLayer } from "../layers/serializer-layer.js";
import { toBytes } from "../layers/to-bytes.js";
import { MsgpackSerializer } from "../msgpack/msgpack-serializer.js";
import type { ContextualSerializer, ValueContext } from "../serde-context.js";
import { aesCipher } from "./aes-cipher.js";
import type { CheckpointCipher } from "./checkpoint-cipher.js";

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
    return [inner, await this.#decrypt(type, layer, data)];
  }

  async #encrypt(plaintext: Uint8Array): Promise<readonly [string, Uint8Array]> {
    try {
      return await this.#cipher.encrypt(plaintext);
    } catch (error) {
      throw new SerializationError("", `the value can't be encrypted: ${messageOf(error)}`, { cause: error });
    }
  }

  async #decrypt(type: string, name: string, ciphertext: Uint8Array): Promise<Uint8Array> {
    try {
      return await this.#cipher.decrypt(name, ciphertext);
    } catch (error) {
      if (error instanceof DeserializationError)
        throw new DeserializationError(error.problem, { typeTag: type, cause: error.cause });
      const problem = `the value can't be decrypted: ${messageOf(error)}`;
      throw new DeserializationError(problem, { typeTag: type, cause: error });
    }
  }
}

function isEncrypted(type: string): boolean {
  const { layer } = outermostLayer(type);
  return layer !== undefined && !isCompression(layer);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
