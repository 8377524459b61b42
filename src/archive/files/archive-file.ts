import type { RowLine } from "../../backup/backup-line.js";
import { parseLine, THREAD_BACKUP } from "../../backup/parse-line.js";
import { CheckpointError } from "../../errors/index.js";
import { abortErrorOf } from "../../db/statements/cancellation.js";
import { readBackupLines } from "../../parsing/backup-lines.js";
import { splitLines } from "../../parsing/split-lines.js";
import { ArchiveError } from "../archive-error.js";
import type { ArchiveTarget } from "../archive-types.js";
import { compressed, decompressed, type FileFormat, UnsupportedCompression } from "./compression.js";

/** How many characters of lines are collected before they are compressed. */
const CHUNK_LENGTH = 64 * 1_024;

/** A file of an archive, and the signal of the call. */
export interface ArchiveFile {
  readonly target: ArchiveTarget;
  readonly name: string;
  readonly signal: AbortSignal | undefined;
  /** The most bytes of a line that is read; see {@link splitLines}. */
  readonly maxLineBytes?: number;
}

/**
 * Writes the lines of a backup to a new file.
 *
 * @returns The last line, which has the checksum of all others.
 * @throws ArchiveError if the target fails.
 * @throws The error of `lines`, whatever the target makes of it.
 */
export async function writeLines(
  file: ArchiveFile,
  lines: AsyncIterable<string>,
  format: FileFormat,
): Promise<string> {
  const source = new ObservedLines(lines);
  try {
    await file.target.write(file.name, compressed(inChunks(source), format), { signal: file.signal });
  } catch (error) {
    source.throwIfFailed();
    throw archiveErrorOf(file, "can't be written", error);
  }
  source.throwIfFailed();
  return source.last;
}

/**
 * Reads a file. The iteration ends without an error only if the file is a complete backup whose checksum matches.
 *
 * @param expectedEnd - The last line that the file must have. Default: any.
 * @throws ArchiveError if the target fails, or if the file is damaged or not the one that was written.
 */
export async function* readRows(file: ArchiveFile, expectedEnd?: string): AsyncGenerator<RowLine> {
  const { target, name, signal, maxLineBytes } = file;
  try {
    const content = decompressed(await target.read(name, { signal }));
    const lines = new ObservedLines(splitLines(content, maxLineBytes));
    yield* readBackupLines<RowLine>(THREAD_BACKUP, lines, parseLine);
    if (expectedEnd !== undefined && lines.last !== expectedEnd) {
      throw new ArchiveError(name, "is not the one that was written");
    }
  } catch (error) {
    throw archiveErrorOf(file, "can't be read", error);
  }
}

/** Lines that pass, of which the last one and an error are remembered. */
class ObservedLines implements AsyncIterable<string> {
  readonly #lines: AsyncIterable<string>;
  #failure: { readonly error: unknown } | undefined;
  #last = "";

  constructor(lines: AsyncIterable<string>) {
    this.#lines = lines;
  }

  get last(): string {
    return this.#last;
  }

  throwIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    try {
      for await (const line of this.#lines) {
        this.#last = line;
        yield line;
      }
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }
}

async function* inChunks(lines: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  let chunk = "";
  for await (const line of lines) {
    chunk += `${line}\n`;
    if (chunk.length < CHUNK_LENGTH) continue;
    yield Buffer.from(chunk);
    chunk = "";
  }
  yield Buffer.from(chunk);
}

/** Names the file in an error of the target. Errors about the file itself pass as they are. */
export function archiveErrorOf(
  { name, signal }: Pick<ArchiveFile, "name" | "signal">,
  problem: string,
  error: unknown,
): CheckpointError {
  if (error instanceof ArchiveError) return error;
  if (signal?.aborted === true) return abortErrorOf(signal, error);
  if (error instanceof UnsupportedCompression) return new ArchiveError(name, error.message);
  const reason = error instanceof Error ? error.message : "unknown reason";
  return new ArchiveError(name, `${problem}: ${reason}`, { cause: error });
}
