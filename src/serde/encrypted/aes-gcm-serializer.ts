import { DeserializationError, InvalidConfigError, SerializationError } from "../../errors/index.js";
import { checkedSerializer } from "../checked-serializer.js";
import { outermostLayer } from "../layered-tag.js";
import { refuseUnknown } from "../refuse-unknown.js";
import type { ContextualSerializer, ValueContext } from "../serde-context.js";
import { AES_GCM_LAYER as LAYER } from "./aes-gcm-layer.js";
import { open, seal } from "./aes-gcm.js";
import { type EncryptionKey, type KeyRing, keyRing } from "./encryption-keys.js";

/** How an {@link AesGcmSerializer} encrypts. */
export interface AesGcmOptions {
  /**
   * The keys, the newest first: it encrypts, and each of them decrypts what names it. To rotate, put a new key last,
   * roll that out everywhere, then put it first.
   */
  readonly keys: readonly EncryptionKey[];
  /**
   * Whether values that are not encrypted by one of the keys are refused, those in the headers of checkpoints too.
   * Without it they are left to the wrapped serializer, so that a database can be taken over while it holds both; who can
   * write to the database can then put in values of their own. Default `false`.
   */
  readonly strict?: boolean | undefined;
}

/**
 * Encrypts what another serializer writes by AES-256-GCM, and binds each value to its place: thread, namespace, channel and
 * version, or checkpoint, task and position. A value that was changed, moved to another row, or given another type tag
 * is refused.
 *
 * Encrypted are channel values and pending writes. Ids, names, versions, type tags and metadata are not: queries go by
 * them.
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
export class AesGcmSerializer implements ContextualSerializer {
  readonly #serde: ContextualSerializer;
  readonly #keys: KeyRing;

  /** Whether only encrypted values are read: the option `strict`. */
  readonly refusesPlaintext: boolean;

  /**
   * @param serde - what turns values into bytes, such as `new MsgpackSerializer()`
   * @param options - the keys, and whether values without encryption are refused
   * @throws {@link InvalidConfigError} for keys that can't be used and options that there are not; it never shows a key
   */
  constructor(serde: ContextualSerializer, options: AesGcmOptions) {
    refuseUnknown(options, ["keys", "strict"]);
    const { strict = false } = options;
    if (typeof strict !== "boolean") throw new InvalidConfigError("strict", "must be true or false");
    this.#serde = checkedSerializer(serde);
    this.#keys = keyRing(options.keys);
    this.refusesPlaintext = strict;
  }

  /** Whether a value is encrypted by this layer, or bound to its place by the wrapped serializer. */
  bindsToPlace(type: string): boolean {
    const { layer } = outermostLayer(type);
    return layer === LAYER || (this.#serde.bindsToPlace?.(type) ?? false);
  }

  /**
   * Encodes and encrypts a value. It is encoded before this returns: what is changed later is not stored.
   *
   * @param context - where the value will stand; without it the bytes are bound to no place
   * @returns a type tag such as `msgpack+aes-256-gcm`, and the ciphertext
   * @throws {@link SerializationError} for what can't be stored
   */
  async dumpsTyped(value: unknown, context?: ValueContext): Promise<[string, Uint8Array]> {
    const [inner, plaintext] = await this.#serde.dumpsTyped(value, context);
    const type = `${inner}+${LAYER}`;
    try {
      return [type, seal(this.#keys, plaintext, { type, context })];
    } catch (cause) {
      throw new SerializationError("", "the value can't be encrypted", { cause });
    }
  }

  /**
   * Decrypts and reads a stored value.
   *
   * @param type - the tag that was stored beside the bytes
   * @param data - the bytes, or their text
   * @param context - where the value stands; the same as when it was written
   * @throws {@link DeserializationError} for a key that is not given, for a value that was changed or moved, in strict mode
   *   for one that is not encrypted, and for whatever the other serializer can't read
   */
  async loadsTyped(type: string, data: Uint8Array | string, context?: ValueContext): Promise<unknown> {
    const { inner, layer } = outermostLayer(type);
    if (layer !== LAYER) return this.#loadPlain(type, data, context);
    const bytes = typeof data === "string" ? Buffer.from(data, "latin1") : data;
    return this.#serde.loadsTyped(inner, open(this.#keys, bytes, { type, context }), context);
  }

  #loadPlain(type: string, data: Uint8Array | string, context: ValueContext | undefined): Promise<unknown> {
    if (!this.refusesPlaintext) return this.#serde.loadsTyped(type, data, context);
    throw new DeserializationError(
      `the value is not encrypted by ${LAYER}, and the serializer is a strict one`,
      { typeTag: type },
    );
  }
}
