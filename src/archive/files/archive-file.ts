import { type RowLine, parseLine, THREAD_BACKUP } from "../../backup/backup-line.js";
import { CheckpointError } from "../../errors/index.js";
import { abortErrorOf } from "../../db/statements/cancellation.js";
import { readBackupLines } from "../../parsing/backup-lines.js";
import { splitLines } from "../../parsing/split-lines.js";
import { ArchiveError } from "../archive-error.js";
import type { ArchiveTarget } from "../archive-types.js";
import { compressed, decompressed, type FileFormat, UnsupportedCompression } from "./compression.js";
import { exportEach, type ExportedThread } from "../../backup/export-threads.js";
import type { CallContext } from "../../db/call-context.js";
import { newFileName, prefixOf, isFileName, timeInName } from "./file-names.js";
import { compareText } from "../../saver/model/keys.js";

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
async function writeLines(
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
function archiveErrorOf(
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

/** What a new file of an archive holds. */
interface FileContent {
  readonly target: ArchiveTarget;
  readonly format: FileFormat;
  /** Absent for a file of many threads. */
  readonly threadId: string | undefined;
  /** Whether newer checkpoints of its threads stay in the database. */
  readonly isOfOlder: boolean;
  readonly threads: readonly ExportedThread[];
}

/**
 * Writes a new file, which names the one before it.
 *
 * @returns The file and its last line, which has the checksum of all others.
 */
export async function writeArchiveFile(
  call: CallContext,
  { target, format, threadId, isOfOlder, threads }: FileContent,
): Promise<{ readonly file: ArchiveFile; readonly end: string }> {
  const [previous] = await newestFiles(call, target, [prefixOf(threadId)]);
  const name = newFileName({ threadId, extension: format.extension, previous, isOfOlder });
  const file = { target, name, signal: call.signal };
  return { file, end: await writeLines(file, exportEach(call, threads), format) };
}

/**
 * The files of an archive whose names begin with one of the prefixes, the newest first.
 *
 * @throws ArchiveError if the target fails.
 */
export async function newestFiles(
  { signal }: Pick<CallContext, "signal">,
  target: ArchiveTarget,
  prefixes: readonly string[],
): Promise<string[]> {
  const names = new Set<string>();
  for (const prefix of prefixes) {
    try {
      // A target may list other files as well.
      for await (const name of target.list(prefix, { signal })) {
        if (name.startsWith(prefix) && isFileName(name)) names.add(name);
      }
    } catch (error) {
      throw archiveErrorOf({ name: `${prefix}*`, signal }, "can't be listed", error);
    }
  }
  return [...names].sort((a, b) => compareText(timeInName(b), timeInName(a)));
}
