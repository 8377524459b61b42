import { randomBytes } from "node:crypto";
import { type FileHandle, open, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { codeOf } from "../../errors/error-code.js";
import { InvalidConfigError } from "../../errors/index.js";
import { outputError } from "../errors/output-error.js";

/** Where lines are written to. */
export interface LineSink {
  write(text: string): Promise<void>;
}

/** How much is collected before it is written, in characters. */
const PORTION = 64 * 1_024;

type Fill = (sink: LineSink) => Promise<void>;

/**
 * Writes to a file that appears under its name only when it is complete: until then, what is there under that name stays.
 * Only its owner may read it. Of a symbolic link the target is replaced; a device or a FIFO is written to as it is.
 *
 * @throws InvalidConfigError for a folder.
 * @throws OutputError where the file can't be written.
 */
export async function writeFile(path: string, fill: Fill): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() === true) {
    throw new InvalidConfigError("--output", `"${path}" is a folder: name a file`);
  }
  const writing: Writing = (work) =>
    work().catch((error: unknown) => {
      throw outputError(`"${path}"`, error);
    });
  if (found === undefined || found.isFile()) await replaceFile(path, fill, writing);
  else await writeInto(path, fill, writing);
}

/** Says of what fails which file it was. */
type Writing = <T>(work: () => Promise<T>) => Promise<T>;

async function replaceFile(path: string, fill: Fill, writing: Writing): Promise<void> {
  const target = await writing(() => targetOf(path));
  const draft = `${target}.${randomBytes(6).toString("hex")}.part`;
  const file = await writing(() => open(draft, "wx", 0o600));
  try {
    await fill(sinkOf(file, writing));
    await writing(async () => {
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

async function writeInto(path: string, fill: Fill, writing: Writing): Promise<void> {
  const file = await writing(() => open(path, "w"));
  try {
    await fill(sinkOf(file, writing));
  } finally {
    await file.close();
  }
}

function sinkOf(file: FileHandle, writing: Writing): LineSink {
  return { write: (text) => writing(() => file.appendFile(text)) };
}

/** Where symbolic links lead, be it to a file that does not exist yet. */
async function targetOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    const link = await readlink(path).catch(() => undefined);
    return link === undefined ? path : targetOf(resolve(await realpath(dirname(path)), link));
  }
}

/** Writes lines in portions, so that many short ones cost no more than a long one. */
export async function writeLines(
  lines: AsyncIterable<string>,
  sink: LineSink,
  onLine: (line: string) => void,
): Promise<void> {
  let portion = "";
  for await (const line of lines) {
    onLine(line);
    portion += `${line}\n`;
    if (portion.length < PORTION) continue;
    await sink.write(portion);
    portion = "";
  }
  if (portion !== "") await sink.write(portion);
}
