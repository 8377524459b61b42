import { DeserializationError, InvalidConfigError, SerializationError } from "../../errors/index.js";
import {
  checkedSerializer,
  outermostLayer,
  refuseUnknownOptions,
  type SerializerLayer,
  toBytes,
} from "../serializer-layer.js";
import type { ContextualSerializer, ValueContext } from "../serde-context.js";
import { AES_GCM_LAYER as LAYER, open, seal } from "./aes-gcm.js";
import { type EncryptionKey, type KeyRing, keyRing } from "./encryption-keys.js";

/** Options of {@link AesGcmSerializer}. */
export interface AesGcmOptions {
  /**
   * The keys, the newest first. The first key encrypts, and each key decrypts the values that name it. To rotate keys, append the
   * new key, deploy that everywhere, and then move the new key to the front.
   */
  readonly keys: readonly EncryptionKey[];
  /**
   * Whether a read refuses values that are not encrypted by one of the keys, including those in the headers of checkpoints.
   * Without it the wrapped serializer reads them, so that a database may hold both during a migration. An attacker who can write
   * to the database can then insert unencrypted values. Default `false`.
   */
  readonly strict?: boolean | undefined;
}

/**
 * Encrypts the output of another serializer by AES-256-GCM, and binds each value to its row: to its thread, namespace and channel,
 * and to its version, or to its checkpoint, task and position. It refuses a value that was changed, moved to another row, or given
 * another type tag.
 *
 * It encrypts channel values and pending writes. It does not encrypt ids, names, versions, type tags and metadata, which queries
 * need.
 *
 * @example
 * ```ts
 * // A key: openssl rand -base64 32
 * const key = Buffer.from(process.env.CHECKPOINT_KEY_2 ?? "", "base64");
 * const old = Buffer.from(process.env.CHECKPOINT_KEY_1 ?? "", "base64");
 * const serde = new AesGcmSerializer(new CompressedSerializer(), {
 *   keys: [{ id: "2", key }, { id: "1", key: old }],
 *   strict: true,
 * });
 * const checkpointer = new PostgresSaver(url, serde);
 * ```
 */
export class AesGcmSerializer implements SerializerLayer {
  readonly #serde: ContextualSerializer;
  readonly #keys: KeyRing;

  /** Whether a read refuses values that are not encrypted: the option `strict`. */
  readonly refusesPlaintext: boolean;

  /**
   * @param serde - the serializer to wrap, such as `new MsgpackSerializer()`
   * @param options - the keys, and whether unencrypted values are refused
   * @throws {@link InvalidConfigError} for invalid keys and unknown options; the error never contains a key
   */
  constructor(serde: ContextualSerializer, options: AesGcmOptions) {
    refuseUnknownOptions(options, ["keys", "strict"]);
    const { strict = false } = options;
    if (typeof strict !== "boolean") throw new InvalidConfigError("strict", "must be true or false");
    this.#serde = checkedSerializer(serde);
    this.#keys = keyRing(options.keys);
    this.refusesPlaintext = strict;
  }

  /** The serializer whose bytes this one encrypts. */
  get wrapped(): ContextualSerializer {
    return this.#serde;
  }

  /** Whether a value is encrypted by this layer, or bound to its row by the wrapped serializer. */
  bindsToPlace(type: string): boolean {
    const { layer } = outermostLayer(type);
    return layer === LAYER || (this.#serde.bindsToPlace?.(type) ?? false);
  }

  /**
   * Encodes and encrypts a value. The value is encoded before the call returns, so that later changes are not stored.
   *
   * @param context - the row that will hold the value; without it the bytes are bound to no row
   * @returns a type tag such as `msgpack+aes-256-gcm`, and the ciphertext
   * @throws {@link SerializationError} for a value that can't be stored
   */
  async dumpsTyped(value: unknown, context?: ValueContext): Promise<[string, Uint8Array]> {
    const [type, plaintext] = await this.#serde.dumpsTyped(value, context);
    return this.wrap(type, plaintext, context);
  }

  /**
   * Decrypts and reads a stored value.
   *
   * @param type - the stored type tag
   * @param data - the bytes, or their text
   * @param context - the row that holds the value; the same as when it was written
   * @throws {@link DeserializationError} for an unknown key, for a value that was changed or moved, in strict mode for an
   *   unencrypted value, and for a value that the wrapped serializer can't read
   */
  async loadsTyped(type: string, data: Uint8Array | string, context?: ValueContext): Promise<unknown> {
    const { layer } = outermostLayer(type);
    if (layer !== LAYER) return this.#serde.loadsTyped(this.#plain(type), data, context);
    const [inner, plaintext] = await this.unwrap(type, toBytes(data), context);
    return this.#serde.loadsTyped(inner, plaintext, context);
  }

  /** Encrypts what the wrapped serializer wrote; see {@link SerializerLayer}. */
  wrap(inner: string, plaintext: Uint8Array, context?: ValueContext): Promise<[string, Uint8Array]> {
    const type = `${inner}+${LAYER}`;
    try {
      return Promise.resolve([type, seal(this.#keys, plaintext, { type, context })]);
    } catch (cause) {
      return Promise.reject(new SerializationError("", "the value can't be encrypted", { cause }));
    }
  }

  /** Decrypts what {@link wrap} returned, and in strict mode refuses anything else. */
  unwrap(type: string, data: Uint8Array, context?: ValueContext): Promise<[string, Uint8Array]> {
    return new Promise((resolve) => {
      const { inner, layer } = outermostLayer(type);
      if (layer !== LAYER) resolve([this.#plain(type), data]);
      else resolve([inner, open(this.#keys, data, { type, context })]);
    });
  }

  /** Returns the type of an unencrypted value, or refuses it in strict mode. */
  #plain(type: string): string {
    if (!this.refusesPlaintext) return type;
    throw new DeserializationError(`the value is not encrypted by ${LAYER}, and the serializer is strict`, {
      typeTag: type,
    });
  }
}
