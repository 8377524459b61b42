import { promisify } from "node:util";
import * as zlib from "node:zlib";

/** What each algorithm is called in type tags: as HTTP calls it. */
export const LAYER_OF = { zstd: "zstd", brotli: "br", gzip: "gzip" } as const;

/** What an algorithm is called in options. */
export type CompressionAlgorithm = keyof typeof LAYER_OF;

/** What an algorithm is called in type tags. */
export type CompressionLayer = (typeof LAYER_OF)[CompressionAlgorithm];

/**
 * Values up to so many bytes are worked on at once, which takes a fraction of a millisecond, about what it takes to hand one
 * to another thread and to wait for it. Longer ones are handed over, so that others are served meanwhile.
 */
export const SYNC_BYTES = 16 * 1024;

/** An algorithm, on this thread and on others. */
export interface Codec {
  readonly compress: (data: Uint8Array) => Promise<Uint8Array>;
  readonly compressSync: (data: Uint8Array) => Uint8Array;
  /** Fails rather than give back more than `maxOutputLength` bytes. */
  readonly decompress: (data: Uint8Array, limit: OutputLimit) => Promise<Uint8Array>;
  readonly decompressSync: (data: Uint8Array, limit: OutputLimit) => Uint8Array;
}

interface OutputLimit {
  readonly maxOutputLength: number;
}

/** The algorithms that this Node.js has. */
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

/** Whether a layer of a type tag is a compression. */
export function isCompression(layer: string | undefined): layer is CompressionLayer {
  return layer !== undefined && Object.hasOwn(CODECS, layer);
}

function brotliCodec(): Codec {
  const compress = promisify(zlib.brotliCompress);
  // About as fast as gzip, and smaller where values are long: it looks back further. The default, 11, takes 30 times as long.
  const options = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } };
  return {
    compress: (data) => compress(data, options),
    compressSync: (data) => zlib.brotliCompressSync(data, options),
    decompress: promisify(zlib.brotliDecompress),
    decompressSync: zlib.brotliDecompressSync,
  };
}

/** Node.js has it from 22.15 and 23.8 on, and the types of older versions don't name it. */
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
