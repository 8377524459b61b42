import { InvalidConfigError } from "../../errors/index.js";
import { refuseUnknownOptions } from "../layers/refuse-unknown-options.js";
import { isObject } from "../objects/type-guards.js";
import { type Codec, CODECS, type CompressionAlgorithm, LAYER_OF } from "./codecs.js";
import { MAX_FRAME_LENGTH } from "./frame.js";

/** Options of {@link CompressedSerializer}. */
export interface CompressionOptions {
  /**
   * The algorithm for new values. A reader accepts all three. Default `zstd` if this version of Node.js has it (from 22.15 on),
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

/** The options with all defaults. */
export interface CheckedCompression {
  readonly algorithm: CompressionAlgorithm;
  readonly codec: Codec;
  readonly thresholdBytes: number;
  readonly maxDecompressedBytes: number;
}

// Below this length, compression saves a few hundred bytes at most and takes twenty microseconds or more.
const THRESHOLD_BYTES = 1_024;
const MAX_DECOMPRESSED_BYTES = 256 * 1024 * 1024;

/** @throws {@link InvalidConfigError} for an invalid option */
export function parseCompression(options: CompressionOptions): CheckedCompression {
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
