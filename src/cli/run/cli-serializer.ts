import { DeserializationError, InvalidConfigError, SerializationError } from "../../errors/index.js";
import { CompressedSerializer } from "../../serde/compressed/compressed-serializer.js";
import { KEY_VARIABLE, EncryptedSerializer } from "../../serde/encrypted/encrypted-serializer.js";
import { isAesGcm } from "../../serde/encrypted/aes-gcm.js";
import { MsgpackSerializer } from "../../serde/msgpack/msgpack-serializer.js";
import { type SerializerLayer, unwrapBytes, wrapBytes } from "../../serde/serializer-layer.js";
import type { ContextualSerializer, CheckpointValueContext } from "../../serde/serde-context.js";
import type { CommandIO } from "../command-io.js";

/**
 * Reads MessagePack, JSON and compressed values; with a key in the environment also values that this library or Python encrypted
 * with it. Writes MessagePack, encrypted if there is a key.
 */
export class CliSerializer implements SerializerLayer {
  readonly wrapped: ContextualSerializer = new MsgpackSerializer();
  readonly #reader: ContextualSerializer;
  readonly #writer: ContextualSerializer;
  readonly #hasKey: boolean;
  readonly #refusal: string | undefined;

  /**
   * @param refusal - The message with which every write fails. Default: writes are allowed.
   * @throws InvalidConfigError if the key in the environment is invalid. The message does not quote the key.
   */
  constructor(env: CommandIO["env"], refusal?: string) {
    const { [KEY_VARIABLE]: key = "" } = env;
    this.#hasKey = key !== "";
    this.#refusal = refusal;
    const compressed = new CompressedSerializer(this.wrapped);
    this.#reader = this.#hasKey ? aesSerializer(key, compressed) : compressed;
    this.#writer = this.#hasKey ? aesSerializer(key, this.wrapped) : this.wrapped;
  }

  async dumpsTyped(value: unknown, context?: CheckpointValueContext): Promise<[string, Uint8Array]> {
    this.#refuseWrites();
    return this.#writer.dumpsTyped(value, context);
  }

  async loadsTyped(
    type: string,
    data: Uint8Array | string,
    context?: CheckpointValueContext,
  ): Promise<unknown> {
    this.#refuseUnreadable(type);
    const value: unknown = await this.#reader.loadsTyped(type, data, context);
    return value;
  }

  async wrap(
    type: string,
    data: Uint8Array,
    context?: CheckpointValueContext,
  ): Promise<[string, Uint8Array]> {
    this.#refuseWrites();
    return wrapBytes(this.#writer, [type, data], context);
  }

  async unwrap(
    type: string,
    data: Uint8Array,
    context?: CheckpointValueContext,
  ): Promise<[string, Uint8Array]> {
    this.#refuseUnreadable(type);
    return unwrapBytes(this.#reader, [type, data], context);
  }

  #refuseWrites(): void {
    if (this.#refusal !== undefined) throw new SerializationError("", this.#refusal);
  }

  #refuseUnreadable(type: string): void {
    if (isAesGcm(type)) {
      throw new DeserializationError(
        "the value is encrypted with AES-256-GCM, and only the service that wrote it has the keys; use a saver with that service's serializer",
        { typeTag: type },
      );
    }
    if (!this.#hasKey && type.endsWith("+aes")) {
      throw new DeserializationError(
        `the value is encrypted; set the environment variable ${KEY_VARIABLE} to the key, as for Python's saver`,
        { typeTag: type },
      );
    }
  }
}

/** @throws InvalidConfigError if the key is invalid. The message does not quote the key. */
export function aesSerializer(key: string, serde: ContextualSerializer): EncryptedSerializer {
  try {
    return EncryptedSerializer.fromAesKey(key, serde);
  } catch (error) {
    throw new InvalidConfigError(KEY_VARIABLE, "must be 16, 24 or 32 bytes long", { cause: error });
  }
}
