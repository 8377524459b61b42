import { compress, decompress, MAX_FRAME_LENGTH } from "./compress.js";
import {
  withTypeTag,
  checkedSerializer,
  outermostLayer,
  type SerializerLayer,
  toBytes,
  refuseUnknownOptions,
} from "../serializer-layer.js";
import { InvalidConfigError } from "../../errors/index.js";
import { MsgpackSerializer } from "../msgpack/msgpack-serializer.js";
import type { ContextualSerializer, ValueContext } from "../serde-context.js";
import { type Codec, CODECS, isCompression, LAYER_OF, type CompressionAlgorithm } from "./codecs.js";
import { isObject } from "../objects/inspect-object.js";

/** Options of {@link CompressedSerializer}. */
export interface CompressionOptions {
  /**
   * The algorithm for new values: `zstd`, `brotli` or `gzip`. A reader accepts all three. Default `zstd` if this version of Node.js has it (from 22.15 on),
   * otherwise `brotli`. If services on several versions of Node.js share a database, choose an algorithm that all of them have.
   */
  readonly algorithm?: CompressionAlgorithm | undefined;
  /** A value that is encoded in fewer bytes is stored uncompressed. Default 1024. */
  readonly thresholdBytes?: number | undefined;
  /**
   * The longest value that is decompressed, in bytes. A value whose header states a greater length is refused before anything is
   * allocated, and a value that is longer than its header states is refused while it is read. Longer values are stored
   * uncompressed. Default 256 MiB.
   *
   * It also bounds the total size of values that are read together, such as those of a checkpoint. The total may exceed sixteen
   * times the stored size of each value by this many bytes. Text and JSON rarely reach sixteen times their stored size.
   */
  readonly maxDecompressedBytes?: number | undefined;
}

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
    const { maxDecompressedBytes } = this.#options;
    try {
      return [inner, await decompress(layer, data, maxDecompressedBytes, context?.read)];
    } catch (error) {
      throw withTypeTag(error, type);
    }
  }
}

/** The options with all defaults. */
interface CheckedCompression {
  readonly algorithm: CompressionAlgorithm;
  readonly codec: Codec;
  readonly thresholdBytes: number;
  readonly maxDecompressedBytes: number;
}

// Below this length, compression saves a few hundred bytes at most and takes twenty microseconds or more.
const THRESHOLD_BYTES = 1_024;

const MAX_DECOMPRESSED_BYTES = 256 * 1024 * 1024;

/** @throws {@link InvalidConfigError} for an invalid option */
function parseCompression(options: CompressionOptions): CheckedCompression {
  if (!isObject(options)) throw new InvalidConfigError("options", "must be an object");
  refuseUnknownOptions(options, ["algorithm", "thresholdBytes", "maxDecompressedBytes"]);
  const fallback = CODECS.zstd === undefined ? "brotli" : "zstd";
  const {
    algorithm = fallback,
    thresholdBytes = THRESHOLD_BYTES,
    maxDecompressedBytes = MAX_DECOMPRESSED_BYTES,
  } = options;
  const codec = codecOf(algorithm);
  checkBytes("thresholdBytes", thresholdBytes, 0, Infinity);
  checkBytes("maxDecompressedBytes", maxDecompressedBytes, 1, MAX_FRAME_LENGTH);
  return { algorithm, codec, thresholdBytes, maxDecompressedBytes };
}

function codecOf(algorithm: CompressionAlgorithm): Codec {
  const names = Object.keys(LAYER_OF).join(", ");
  if (!Object.hasOwn(LAYER_OF, algorithm))
    throw new InvalidConfigError("algorithm", `must be one of ${names}`);
  const codec = CODECS[LAYER_OF[algorithm]];
  if (codec !== undefined) return codec;
  throw new InvalidConfigError("algorithm", `Node.js ${process.version} has no ${algorithm}`);
}

function checkBytes(field: string, value: number, min: number, max: number): void {
  const isCount = Number.isInteger(value) || value === Infinity;
  if (!isCount || value < min || value > max)
    throw new InvalidConfigError(field, `must be a number of bytes from ${min} to ${max}`);
}
