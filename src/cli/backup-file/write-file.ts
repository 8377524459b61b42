import { randomBytes } from "node:crypto";
import { type FileHandle, open, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { codeOf } from "../../errors/error-code.js";
import { InvalidConfigError } from "../../errors/index.js";
import { outputError } from "../errors/output-error.js";

/** A file or stream that text is written to. */
export interface TextSink {
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
export async function writeFile(path: string, writeContent: WriteContent): Promise<void> {
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

/** Writes lines in chunks, so that many short lines take few writes. */
export async function writeLines(
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
