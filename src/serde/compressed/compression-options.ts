import { InvalidConfigError } from "../../errors/index.js";
import { refuseUnknown } from "../refuse-unknown.js";
import { isObject } from "../msgpack/prototypes.js";
import { type Codec, CODECS, type CompressionAlgorithm, LAYER_OF } from "./codecs.js";
import { MAX_FRAME_LENGTH } from "./frame.js";

/** How a {@link CompressedSerializer} compresses. */
export interface CompressionOptions {
  /**
   * What new values are compressed by; all three are read. Default `zstd` where this Node.js has it (from 22.15 on), else
   * `brotli`. Name one that all readers have where services on several versions of Node.js share a database.
   */
  readonly algorithm?: CompressionAlgorithm | undefined;
  /** Values that are encoded in fewer bytes are stored as they are. Default 1024. */
  readonly thresholdBytes?: number | undefined;
  /**
   * The longest value that is decompressed, in bytes: one that says it is longer is refused before anything is allocated,
   * and one that turns out longer than it says while it is read. Longer values are stored uncompressed. Default 256 MiB.
   *
   * It also bounds what values that are read together, such as those of a checkpoint, are decompressed to in all: so many
   * bytes beyond sixteen times what is stored of each, which text and JSON rarely reach.
   */
  readonly maxDecompressedBytes?: number | undefined;
}

/** The options, complete. */
export interface CheckedCompression {
  readonly algorithm: CompressionAlgorithm;
  readonly codec: Codec;
  readonly thresholdBytes: number;
  readonly maxDecompressedBytes: number;
}

// Below, a few hundred bytes at the most are saved, for twenty microseconds or more.
const THRESHOLD_BYTES = 1_024;
const MAX_DECOMPRESSED_BYTES = 256 * 1024 * 1024;

/** @throws {@link InvalidConfigError} for an option that can't be used */
export function parseCompression(options: CompressionOptions): CheckedCompression {
  if (!isObject(options)) throw new InvalidConfigError("options", "must be an object");
  refuseUnknown(options, ["algorithm", "thresholdBytes", "maxDecompressedBytes"]);
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
