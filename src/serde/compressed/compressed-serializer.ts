import { DeserializationError } from "../../errors/index.js";
import { checkedSerializer } from "../checked-serializer.js";
import { outermostLayer } from "../layered-tag.js";
import { MsgpackSerializer } from "../msgpack-serializer.js";
import type { ContextualSerializer, ValueContext } from "../serde-context.js";
import { type Codec, CODECS, type CompressionLayer, isCompression, LAYER_OF } from "./codecs.js";
import { compress } from "./compress.js";
import { type CheckedCompression, type CompressionOptions, parseCompression } from "./compression-options.js";
import { decompress } from "./decompress.js";

/**
 * Compresses what another serializer writes, where that makes it smaller. Values that were written without compression,
 * or by another of the algorithms, are still read.
 *
 * Compression comes before encryption, since what is encrypted can't be compressed any more.
 *
 * @example
 * ```ts
 * const serde = new CompressedSerializer(new MsgpackSerializer(), { thresholdBytes: 4096 });
 * const checkpointer = new PostgresSaver(url, serde);
 * ```
 */
export class CompressedSerializer implements ContextualSerializer {
  readonly #serde: ContextualSerializer;
  readonly #options: CheckedCompression;

  /**
   * @param serde - what turns values into bytes, `MsgpackSerializer` by default
   * @param options - the algorithm, and from what length on and up to what length it is used
   * @throws {@link InvalidConfigError} for an option that can't be used, such as an algorithm that this Node.js lacks
   */
  constructor(serde: ContextualSerializer = new MsgpackSerializer(), options: CompressionOptions = {}) {
    this.#serde = checkedSerializer(serde);
    this.#options = parseCompression(options);
  }

  /** Whether the wrapped serializer refuses values that are not encrypted. */
  get refusesPlaintext(): boolean {
    return this.#serde.refusesPlaintext ?? false;
  }

  /** Whether the wrapped serializer binds a value to its place. */
  bindsToPlace(type: string): boolean {
    const { inner, layer } = outermostLayer(type);
    return this.#serde.bindsToPlace?.(isCompression(layer) ? inner : type) ?? false;
  }

  /**
   * Encodes and compresses a value. It is encoded before this returns: what is changed later is not stored.
   *
   * @param context - where the value will stand; handed on to the wrapped serializer
   * @returns a type tag such as `msgpack+zstd`, `msgpack+br` or `msgpack+gzip`, or that of the wrapped serializer alone, and
   *   the bytes
   * @throws {@link SerializationError} for what can't be stored
   */
  async dumpsTyped(value: unknown, context?: ValueContext): Promise<[string, Uint8Array]> {
    const [type, data] = await this.#serde.dumpsTyped(value, context);
    const { codec, algorithm, thresholdBytes, maxDecompressedBytes } = this.#options;
    if (data.length < thresholdBytes || data.length > maxDecompressedBytes) return [type, data];
    const compressed = await compress(codec, data);
    return compressed === undefined ? [type, data] : [`${type}+${LAYER_OF[algorithm]}`, compressed];
  }

  /**
   * Decompresses and reads a stored value; one that is not compressed is only read.
   *
   * @param type - the tag that was stored beside the bytes
   * @param data - the bytes, or their text
   * @param context - where the value stands, and in which read; handed on to the wrapped serializer
   * @throws {@link DeserializationError} for a value that is longer than the bound, also together with the others of its
   *   read, was changed, or was compressed by an
   *   algorithm that this Node.js lacks, and for whatever the other serializer can't read
   */
  async loadsTyped(type: string, data: Uint8Array | string, context?: ValueContext): Promise<unknown> {
    const { inner, layer } = outermostLayer(type);
    if (!isCompression(layer)) return this.#serde.loadsTyped(type, data, context);
    const bytes = typeof data === "string" ? Buffer.from(data, "latin1") : data;
    return this.#serde.loadsTyped(inner, await this.#decompress(type, layer, bytes, context), context);
  }

  async #decompress(
    type: string,
    layer: CompressionLayer,
    bytes: Uint8Array,
    context: ValueContext | undefined,
  ): Promise<Uint8Array> {
    const { maxDecompressedBytes } = this.#options;
    try {
      return await decompress(codecOf(layer), bytes, maxDecompressedBytes, context?.read);
    } catch (error) {
      if (!(error instanceof DeserializationError)) throw error;
      throw new DeserializationError(error.problem, { typeTag: type, cause: error.cause });
    }
  }
}

function codecOf(layer: CompressionLayer): Codec {
  const codec = CODECS[layer];
  if (codec !== undefined) return codec;
  throw new DeserializationError(
    `the value is compressed by ${layer}, which Node.js ${process.version} does not have; run 22.15 or later, or write with another algorithm`,
  );
}
