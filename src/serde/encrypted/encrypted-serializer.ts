import { DeserializationError, SerializationError } from "../../errors/index.js";
import { isCompression } from "../compressed/codecs.js";
import { checkedSerializer } from "../checked-serializer.js";
import { outermostLayer } from "../layered-tag.js";
import { MsgpackSerializer } from "../msgpack-serializer.js";
import type { ContextualSerializer, ValueContext } from "../serde-context.js";
import { aesCipher } from "./aes-cipher.js";
import type { CheckpointCipher } from "./checkpoint-cipher.js";

/**
 * Encrypts what another serializer writes, in the format of Python's `EncryptedSerializer`, so that services in both
 * languages share encrypted threads. Rows that were written without encryption are still read.
 *
 * Encrypted are channel values and pending writes. Ids, versions and metadata are not: queries go by them.
 *
 * @example
 * ```ts
 * const serde = EncryptedSerializer.fromAesKey(); // LANGGRAPH_AES_KEY, as in Python
 * const checkpointer = new PostgresSaver(url, serde);
 * ```
 */
export class EncryptedSerializer implements ContextualSerializer {
  readonly #cipher: CheckpointCipher;
  readonly #serde: ContextualSerializer;

  /**
   * @param cipher - what encrypts
   * @param serde - what turns values into bytes, `MsgpackSerializer` by default
   */
  constructor(cipher: CheckpointCipher, serde: ContextualSerializer = new MsgpackSerializer()) {
    this.#cipher = cipher;
    this.#serde = checkedSerializer(serde);
  }

  /**
   * A serializer that encrypts by AES-EAX, as Python's `EncryptedSerializer.from_pycryptodome_aes` does.
   *
   * @param key - 16, 24 or 32 bytes, or a text of so many bytes in UTF-8; the environment variable `LANGGRAPH_AES_KEY`
   *   by default
   * @param serde - what turns values into bytes, `MsgpackSerializer` by default
   * @throws {@link InvalidConfigError} for a key of another length, or when there is none
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

  /** Whether the wrapped serializer binds a value to its place. */
  bindsToPlace(type: string): boolean {
    const { inner, layer } = outermostLayer(type);
    const isPlain = layer === undefined || isCompression(layer);
    return this.#serde.bindsToPlace?.(isPlain ? type : inner) ?? false;
  }

  /**
   * Encodes and encrypts a value.
   *
   * @param context - where the value will stand; handed on to the wrapped serializer
   * @returns a type tag such as `msgpack+aes`, and the ciphertext
   * @throws {@link SerializationError} for what can't be stored, or can't be encrypted
   */
  async dumpsTyped(value: unknown, context?: ValueContext): Promise<[string, Uint8Array]> {
    const [type, plaintext] = await this.#serde.dumpsTyped(value, context);
    const [name, ciphertext] = await this.#encrypt(plaintext);
    if (name.includes("+") || isCompression(name))
      throw new SerializationError(
        "",
        `a cipher can't be called "${name}": type tags have another meaning for it`,
      );
    return [`${type}+${name}`, ciphertext];
  }

  /**
   * Decrypts and reads a stored value; one that is not encrypted is only read.
   *
   * @param type - the tag that was stored beside the bytes
   * @param data - the bytes, or their text
   * @param context - where the value stands; handed on to the wrapped serializer
   * @throws {@link DeserializationError} for another key, a changed row, and whatever the other serializer can't read
   */
  async loadsTyped(type: string, data: Uint8Array | string, context?: ValueContext): Promise<unknown> {
    const { inner, layer } = outermostLayer(type);
    if (layer === undefined || isCompression(layer)) return this.#serde.loadsTyped(type, data, context);
    const ciphertext = typeof data === "string" ? Buffer.from(data, "latin1") : data;
    return this.#serde.loadsTyped(inner, await this.#decrypt(type, layer, ciphertext), context);
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
