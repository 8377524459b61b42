import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { addAbortSignal, Readable } from "node:stream";
import { InvalidConfigError } from "../../errors/index.js";
import type { CommandContext } from "../command-definition.js";
import { humanBytes } from "../output/format-numbers.js";
import { LongLineError, MAX_LINE_BYTES, splitLines } from "../../parsing/split-lines.js";
import { StringDecoder } from "node:string_decoder";
import type { InputStream } from "../command-io.js";

/** How a command line names standard input. */
export const STDIN = "-";

type Context = Pick<CommandContext, "terminal" | "signal">;

/**
 * Reads the lines of a backup, which may be compressed with gzip or zstd.
 *
 * @param file - A path, or {@link STDIN}.
 * @param maxLineBytes - The most bytes of a line.
 * @throws InvalidConfigError if standard input is a terminal.
 */
export function linesOf(
  { terminal, signal }: Context,
  file: string,
  maxLineBytes = MAX_LINE_BYTES,
): AsyncIterable<string> {
  const unpacked = (content: AsyncIterable<Uint8Array | string>, source: string) =>
    unpackedLines(content, source, maxLineBytes);
  if (file !== STDIN) return unpacked(createReadStream(file, { signal }), `"${file}"`);
  const { stdin } = terminal;
  if (stdin === undefined || stdin.isTTY === true) {
    throw new InvalidConfigError("file", "name a backup, or pipe one to standard input");
  }
  // Without the signal, an interrupt would not end the wait for the next line.
  return unpacked(stdin instanceof Readable ? addAbortSignal(signal, stdin) : stdin, "standard input");
}

async function* unpackedLines(
  content: AsyncIterable<Uint8Array | string>,
  source: string,
  maxLineBytes: number,
): AsyncGenerator<string> {
  const { decompressed, UnsupportedCompression } = await import("../../archive/files/compression.js");
  try {
    yield* splitLines(decompressed(bytesOf(content)), maxLineBytes);
  } catch (error) {
    if (error instanceof UnsupportedCompression) throw new InvalidConfigError("file", error.message);
    if (error instanceof LongLineError) throw new LongLineError(maxLineBytes, source);
    throw error;
  }
}

async function* bytesOf(content: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) yield typeof chunk === "string" ? Buffer.from(chunk) : chunk;
}

/** Reads the lines of a file as {@link linesOf} does, and opens it only then. */
export async function* linesOnceRead(context: Context, file: string): AsyncGenerator<string> {
  yield* linesOf(context, file);
}

/** Reads the lines of a backup, or of a full one and its increments. */
export function linesOfAll(context: Context, files: readonly string[]): AsyncIterable<string> {
  const [file, ...increments] = files;
  if (file === undefined || increments.length === 0) return linesOf(context, file ?? STDIN);
  return merged(files.map((each) => linesOnceRead(context, each)));
}

/**
 * Reads all of a file, or of a full backup and its increments, without storing anything, and shows the progress.
 *
 * @param inspect - Reads all lines, and throws where they are damaged.
 */
export async function checkFiles<T>(
  context: Context,
  files: readonly string[],
  inspect: (lines: AsyncIterable<string>) => Promise<T>,
): Promise<T> {
  const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
  const size = sizes.reduce((sum, each) => sum + each, 0);
  const progress = context.terminal.progress("checking", size);
  let done = 0;
  const withProgress = async function* (file: string): AsyncGenerator<string> {
    for await (const line of linesOf(context, file)) {
      done += Buffer.byteLength(line) + 1;
      progress.update(done, `${humanBytes(done)} of ${humanBytes(size)}`);
      yield line;
    }
  };
  try {
    return await inspect(merged(files.map(withProgress)));
  } finally {
    progress.stop();
  }
}

async function* merged(backups: readonly AsyncIterable<string>[]): AsyncGenerator<string> {
  const [backup, ...increments] = backups;
  if (backup === undefined || increments.length > 0) {
    const { mergeBackups } = await import("../../backup/merge-backups.js");
    yield* mergeBackups(backups);
  } else {
    yield* backup;
  }
}

/** What a text is read for. */
interface TextInput {
  /** Ends the wait for the stream. */
  readonly signal: AbortSignal;
  /** The argument that the text stands for. */
  readonly field: string;
  /** Default: as many as a line of a file may have. */
  readonly maxBytes?: number;
}

/**
 * Reads a stream to its end.
 *
 * @throws InvalidConfigError for a longer text, once so many bytes of it have come.
 */
export async function readText(
  stream: InputStream,
  { signal, field, maxBytes = MAX_LINE_BYTES }: TextInput,
): Promise<string> {
  const chunks: AsyncIterable<string | Uint8Array> =
    stream instanceof Readable ? addAbortSignal(signal, stream) : stream;
  const decoder = new StringDecoder("utf8");
  let text = "";
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += Buffer.byteLength(chunk);
    if (bytes > maxBytes) throw new InvalidConfigError(field, `must not be longer than ${maxBytes} bytes`);
    text += typeof chunk === "string" ? chunk : decoder.write(chunk);
  }
  return text + decoder.end();
}
