import { exportEach, type ExportedThread } from "../../backup/export-threads.js";
import type { CallContext } from "../../db/call-context.js";
import type { ArchiveTarget } from "../archive-types.js";
import { type ArchiveFile, writeLines } from "./archive-file.js";
import type { FileFormat } from "./compression.js";
import { newFileName, prefixOf } from "./file-names.js";
import { newestFirst } from "./list-files.js";

/** What a new file of an archive holds. */
export interface FileContent {
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
export async function writeFile(
  call: CallContext,
  { target, format, threadId, isOfOlder, threads }: FileContent,
): Promise<{ readonly file: ArchiveFile; readonly end: string }> {
  const [previous] = await newestFirst(call, target, [prefixOf(threadId)]);
  const name = newFileName({ threadId, extension: format.extension, previous, isOfOlder });
  const file = { target, name, signal: call.signal };
  return { file, end: await writeLines(file, exportEach(call, threads), format) };
}
