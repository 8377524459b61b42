import { promisify } from "node:util";
import * as zlib from "node:zlib";

/** The name of each algorithm in type tags, which is its name in HTTP. */
export const LAYER_OF = { zstd: "zstd", brotli: "br", gzip: "gzip" } as const;

/** The name of an algorithm in options. */
export type CompressionAlgorithm = keyof typeof LAYER_OF;

/** The name of an algorithm in type tags. */
export type CompressionLayer = (typeof LAYER_OF)[CompressionAlgorithm];

/**
 * Values of up to this length are compressed on the calling thread. That takes a fraction of a millisecond, about as long as
 * passing a value to another thread. Longer values are passed to another thread, so that they don't block the event loop.
 */
export const SYNC_BYTES = 16 * 1024;

/** A compression algorithm, on the calling thread and on other threads. */
export interface Codec {
  readonly compress: (data: Uint8Array) => Promise<Uint8Array>;
  readonly compressSync: (data: Uint8Array) => Uint8Array;
  /** Throws instead of returning more than `maxOutputLength` bytes. */
  readonly decompress: (data: Uint8Array, limit: OutputLimit) => Promise<Uint8Array>;
  readonly decompressSync: (data: Uint8Array, limit: OutputLimit) => Uint8Array;
}

interface OutputLimit {
  readonly maxOutputLength: number;
}

/** The algorithms that this version of Node.js supports. */
export const CODECS: Readonly<Record<CompressionLayer, Codec | undefined>> = {
  zstd: zstdCodec(),
  br: brotliCodec(),
  gzip: {
    compress: promisify(zlib.gzip),
    compressSync: zlib.gzipSync,
    decompress: promisify(zlib.gunzip),
    decompressSync: zlib.gunzipSync,
  },
};

/** Whether a layer of a type tag is a compression algorithm. */
export function isCompression(layer: string | undefined): layer is CompressionLayer {
  return layer !== undefined && Object.hasOwn(CODECS, layer);
}

function brotliCodec(): Codec {
  const compress = promisify(zlib.brotliCompress);
  // About as fast as gzip, and smaller for long values, since it looks back further. The default, 11, takes 30 times as long.
  const options = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } };
  return {
    compress: (data) => compress(data, options),
    compressSync: (data) => zlib.brotliCompressSync(data, options),
    decompress: promisify(zlib.brotliDecompress),
    decompressSync: zlib.brotliDecompressSync,
  };
}

/** Node.js has zstd from 22.15 and 23.8 on. The types of older versions don't have it. */
function zstdCodec(): Codec | undefined {
  const functions: Readonly<Record<string, unknown>> = zlib;
  const { zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } = functions;
  if (!isCallback(zstdCompress) || !isSync(zstdCompressSync)) return undefined;
  if (!isCallback(zstdDecompress) || !isSync(zstdDecompressSync)) return undefined;
  const compress = promisify(zstdCompress);
  return {
    compress: (data) => compress(data, {}),
    compressSync: (data) => zstdCompressSync(data, {}),
    decompress: promisify(zstdDecompress),
    decompressSync: zstdDecompressSync,
  };
}

type Options = Partial<OutputLimit>;
type Sync = (data: Uint8Array, options: Options) => Uint8Array;
type Callback = (
  data: Uint8Array,
  options: Options,
  callback: (error: Error | null, result: Uint8Array) => void,
) => void;

function isSync(value: unknown): value is Sync {
  return typeof value === "function";
}

function isCallback(value: unknown): value is Callback {
  return typeof value === "function";
}

/** Whether the layers of a type tag, such as `msgpack+zstd+aes-256-gcm`, include a compression algorithm. */
export function isCompressed(type: string | null): boolean {
  return type?.split("+").slice(1).some(isCompression) ?? false;
}
