import { DeserializationError } from "../../errors/index.js";
import { checkedSerializer } from "../layers/checked-serializer.js";
import { outermostLayer } from "../layers/layered-tag.js";
import type { SerializerLayer } from "../layers/serializer-layer.js";
import { toBytes } from "../layers/to-bytes.js";
import { MsgpackSerializer } from "../msgpack/msgpack-serializer.js";
import type { ContextualSerializer, ValueContext } from "../serde-context.js";
import { type Codec, CODECS, type CompressionLayer, isCompression, LAYER_OF, SYNC_BYTES } from "./codecs.js";
import { type CheckedCompression, type CompressionOptions, parseCompression } from "./compression-options.js";
import { decompress } from "./decompress.js";
import { packFrame } from "./frame.js";

/**
 * Compresses the output of another serializer if that makes it smaller. It also reads values that were written without
 * compression or by another algorithm.
 *
 * Wrap a CompressedSerializer in an encrypting serializer, and not the other way round: encrypted bytes can't be compressed.
 *
 * @example
 * ```ts
 * const serde = new CompressedSerializer(new MsgpackSerializer(), { thresholdBytes: 4096 });
 * const checkpointer = new PostgresSaver(url, serde);
 * ```
 */
export class CompressedSerializer implements SerializerLayer {
  readonly #serde: ContextualSerializer;
  readonly #options: CheckedCompression;

  /**
   * @param serde - the serializer to wrap, `MsgpackSerializer` by default
   * @param options - the algorithm, and the minimum and maximum length of a value that is compressed
   * @throws {@link InvalidConfigError} for an invalid option, such as an algorithm that this version of Node.js lacks
   */
  constructor(serde: ContextualSerializer = new MsgpackSerializer(), options: CompressionOptions = {}) {
    this.#serde = checkedSerializer(serde);
    this.#options = parseCompression(options);
  }

  /** The serializer whose bytes this one compresses. */
  get wrapped(): ContextualSerializer {
    return this.#serde;
  }

  /** Whether the wrapped serializer refuses values that are not encrypted. */
  get refusesPlaintext(): boolean {
    return this.#serde.refusesPlaintext ?? false;
  }

  /** Whether the wrapped serializer binds a value to its row. */
  bindsToPlace(type: string): boolean {
    const { inner, layer } = outermostLayer(type);
    return this.#serde.bindsToPlace?.(isCompression(layer) ? inner : type) ?? false;
  }

  /**
   * Encodes and compresses a value. The value is encoded before the call returns, so that later changes are not stored.
   *
   * @param context - the row that will hold the value; passed on to the wrapped serializer
   * @returns a type tag such as `msgpack+zstd`, `msgpack+br` or `msgpack+gzip`, or the type tag of the wrapped serializer alone,
   *   and the bytes
   * @throws {@link SerializationError} for a value that can't be stored
   */
  async dumpsTyped(value: unknown, context?: ValueContext): Promise<[string, Uint8Array]> {
    const [type, data] = await this.#serde.dumpsTyped(value, context);
    return this.wrap(type, data);
  }

  /**
   * Decompresses and reads a stored value. A value that is not compressed is only read.
   *
   * @param type - the stored type tag
   * @param data - the bytes, or their text
   * @param context - the row that holds the value, and the read that it belongs to; passed on to the wrapped serializer
   * @throws {@link DeserializationError} for a value that exceeds the bound, alone or together with the other values of its read,
   *   for a value that was changed, for an algorithm that this version of Node.js lacks, and for a value that the wrapped
   *   serializer can't read
   */
  async loadsTyped(type: string, data: Uint8Array | string, context?: ValueContext): Promise<unknown> {
    if (!isCompression(outermostLayer(type).layer)) return this.#serde.loadsTyped(type, data, context);
    const [inner, bytes] = await this.unwrap(type, toBytes(data), context);
    return this.#serde.loadsTyped(inner, bytes, context);
  }

  /** Compresses what the wrapped serializer wrote; see {@link SerializerLayer}. */
  async wrap(type: string, data: Uint8Array): Promise<[string, Uint8Array]> {
    const { codec, algorithm, thresholdBytes, maxDecompressedBytes } = this.#options;
    if (data.length < thresholdBytes || data.length > maxDecompressedBytes) return [type, data];
    const compressed = await compress(codec, data);
    return compressed === undefined ? [type, data] : [`${type}+${LAYER_OF[algorithm]}`, compressed];
  }

  /** Decompresses what {@link wrap} returned. Returns bytes as they are that are not compressed. */
  async unwrap(type: string, data: Uint8Array, context?: ValueContext): Promise<[string, Uint8Array]> {
    const { inner, layer } = outermostLayer(type);
    if (!isCompression(layer)) return [type, data];
    return [inner, await this.#decompress(type, layer, data, context)];
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

/** Compresses a value, or returns `undefined` if that does not make it smaller. */
async function compress(codec: Codec, data: Uint8Array): Promise<Uint8Array | undefined> {
  const stream = data.length <= SYNC_BYTES ? codec.compressSync(data) : await codec.compress(data);
  const frame = packFrame(data, stream);
  return frame.length < data.length ? frame : undefined;
}
