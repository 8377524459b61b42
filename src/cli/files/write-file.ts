import { randomBytes } from "node:crypto";
import { type FileHandle, open, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { Option } from "commander";
import { z } from "zod";
import { codeOf } from "../../errors/thrown.js";
import { InvalidConfigError } from "../../errors/index.js";
import { outputError } from "../errors/output-error.js";
import type { OfflineContext } from "../command-definition.js";
import { runLongWork } from "../run/long-work.js";

/** A file or stream that text is written to. */
interface TextSink {
  write(text: string): Promise<void>;
}

/** How many characters of lines are collected before they are written. */
const CHUNK_LENGTH = 64 * 1_024;

type WriteContent = (sink: TextSink) => Promise<void>;

/**
 * Writes a file that only its owner may read, and replaces an existing file only once the new one is complete. The target of
 * a symbolic link is replaced, not the link. A device or a FIFO is written to directly.
 *
 * @throws InvalidConfigError if the path is a folder.
 * @throws OutputError if the file can't be written.
 */
async function writeFile(path: string, writeContent: WriteContent): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() === true) {
    throw new InvalidConfigError("--output", `"${path}" is a folder: pass the path of a file`);
  }
  const namingFile: NamingFile = (work) =>
    work().catch((error: unknown) => {
      throw outputError(`"${path}"`, error);
    });
  if (found === undefined || found.isFile()) await replaceFile(path, writeContent, namingFile);
  else await writeInPlace(path, writeContent, namingFile);
}

/** Adds the name of the file to the errors of file operations. */
type NamingFile = <T>(work: () => Promise<T>) => Promise<T>;

async function replaceFile(path: string, writeContent: WriteContent, namingFile: NamingFile): Promise<void> {
  const target = await namingFile(() => targetOf(path));
  const draft = `${target}.${randomBytes(6).toString("hex")}.part`;
  const file = await namingFile(() => open(draft, "wx", 0o600));
  try {
    await writeContent(sinkOf(file, namingFile));
    await namingFile(async () => {
      await file.sync();
      await file.close();
      await rename(draft, target);
    });
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(draft, { force: true });
    throw error;
  }
}

async function writeInPlace(path: string, writeContent: WriteContent, namingFile: NamingFile): Promise<void> {
  const file = await namingFile(() => open(path, "w"));
  try {
    await writeContent(sinkOf(file, namingFile));
  } finally {
    await file.close();
  }
}

function sinkOf(file: FileHandle, namingFile: NamingFile): TextSink {
  return { write: (text) => namingFile(() => file.appendFile(text)) };
}

/** Follows symbolic links, even to a file that does not exist yet. */
async function targetOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    const link = await readlink(path).catch(() => undefined);
    return link === undefined ? path : targetOf(resolve(await realpath(dirname(path)), link));
  }
}

/** How a command line names standard output. */
export const STDOUT = "-";

/** The option of commands that write a backup. */
export function outputOption(): Option {
  return new Option(
    "--output <file>",
    "the file to write, replaced once the backup is complete (default: standard output)",
  );
}

/** The flag of {@link outputOption}. */
export const outputFlag = z.string().default(STDOUT);

/** The lines of a backup, and what is shown of them. */
interface WrittenBackup<State> {
  readonly output: string;
  readonly lines: AsyncIterable<string>;
  /** The command that restores the backup. */
  readonly restoredBy: string;
  readonly count: (line: string) => State;
  readonly describe: (state: State) => string;
}

/**
 * Writes a backup to a file or to standard output, and shows the progress.
 *
 * @returns Where it is, as JSON tells it, and the stream that is free for the report.
 */
export async function writeBackup<State>(
  context: Pick<OfflineContext, "signal" | "terminal">,
  { output, lines, restoredBy, count, describe }: WrittenBackup<State>,
): Promise<{ readonly file: string | null; readonly on: "stderr" | "stdout" }> {
  const toStdout = output === STDOUT;
  await runLongWork(context, {
    what: "exporting",
    show: (state: State) => [0, describe(state)],
    interrupted: () =>
      toStdout ? `the backup is incomplete, and \`${restoredBy}\` will refuse it` : "no backup was written",
    run: (onProgress) => {
      const write = (sink: TextSink) =>
        writeLines(lines, sink, (line) => {
          onProgress(count(line));
        });
      return toStdout ? write(context.terminal) : writeFile(output, write);
    },
  });
  return toStdout ? { file: null, on: "stderr" } : { file: output, on: "stdout" };
}

/** Writes lines in chunks, so that many short lines take few writes. */
async function writeLines(
  lines: AsyncIterable<string>,
  sink: TextSink,
  onLine: (line: string) => void,
): Promise<void> {
  let chunk = "";
  for await (const line of lines) {
    onLine(line);
    chunk += `${line}\n`;
    if (chunk.length < CHUNK_LENGTH) continue;
    await sink.write(chunk);
    chunk = "";
  }
  if (chunk !== "") await sink.write(chunk);
}
