import { pipeline, Readable, Transform } from "node:stream";
import * as zlib from "node:zlib";
import { noop } from "../../db/async/noop.js";
import type { ArchiveCompression } from "../archive-types.js";

/** An algorithm for files: how names end, and the first bytes of its output. */
export interface FileFormat {
  readonly extension: string;
  readonly magic: Uint8Array;
  readonly compress: () => Transform;
  readonly decompress: () => Transform;
}

const GZIP: FileFormat = {
  extension: "gz",
  magic: Uint8Array.of(0x1f, 0x8b),
  compress: () => zlib.createGzip(),
  decompress: () => zlib.createGunzip(),
};

const ZSTD_MAGIC = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd);

type Formats = Readonly<Record<ArchiveCompression, FileFormat | undefined>>;

/** The algorithms that this Node.js has. */
export const FORMATS = formatsOf(zlib);

/** What files are compressed with by default. */
export const DEFAULT_FORMAT: FileFormat = FORMATS.zstd ?? GZIP;

/** Returns the algorithms of a `node:zlib`. It has zstd from 22.15 and 23.8 on. The types of older versions don't have it. */
export function formatsOf(functions: Readonly<Record<string, unknown>>): Formats {
  const { createZstdCompress, createZstdDecompress } = functions;
  if (!createsStream(createZstdCompress) || !createsStream(createZstdDecompress))
    return { zstd: undefined, gzip: GZIP };
  const zstd: FileFormat = {
    extension: "zst",
    magic: ZSTD_MAGIC,
    compress: () => createZstdCompress(),
    decompress: () => createZstdDecompress(),
  };
  return { zstd, gzip: GZIP };
}

function createsStream(value: unknown): value is () => Transform {
  return typeof value === "function";
}

/** Compresses a stream of bytes. */
export function compressed(
  content: AsyncIterable<Uint8Array>,
  format: FileFormat,
): AsyncIterable<Uint8Array> {
  return through(content, format.compress());
}

/** A compressed stream can't be read by this version of Node.js. */
export class UnsupportedCompression extends Error {}

/**
 * Decompresses a stream of bytes. It recognizes zstd and gzip by the first bytes; anything else passes as it is.
 *
 * @throws UnsupportedCompression for zstd where Node.js lacks it.
 */
export async function* decompressed(
  content: AsyncIterable<Uint8Array>,
  { zstd, gzip } = FORMATS,
): AsyncGenerator<Uint8Array> {
  const chunks = content[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < ZSTD_MAGIC.length) {
    const next = await chunks.next();
    if (next.done === true) break;
    head = Buffer.concat([head, next.value]);
  }
  if (zstd === undefined && startsWith(head, ZSTD_MAGIC)) {
    await chunks.return?.();
    throw new UnsupportedCompression("is compressed with zstd, which Node.js has from 22.15 on");
  }
  const whole = startingWith(head, chunks);
  const format = [zstd, gzip].find((each) => each !== undefined && startsWith(head, each.magic));
  yield* format === undefined ? whole : through(whole, format.decompress());
}

async function* startingWith(
  head: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array, undefined> {
  try {
    yield head;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

function startsWith(head: Uint8Array, magic: Uint8Array): boolean {
  return magic.every((byte, at) => head[at] === byte);
}

/** Ends the source when the reader stops, and passes errors of the source on to the reader. */
function through(content: AsyncIterable<Uint8Array>, stream: Transform): AsyncIterable<Uint8Array> {
  return pipeline(Readable.from(content), stream, noop);
}
