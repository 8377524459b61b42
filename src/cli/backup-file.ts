import { open, rename, rm, stat } from "node:fs/promises";
import { InvalidConfigError } from "../errors.js";

/** Where lines are written to. */
export interface LineSink {
  write(text: string): Promise<void>;
}

/** How much is collected before it is written, in characters. */
const PORTION = 64 * 1_024;

/**
 * Writes to a file that appears under its name only when it is complete: until then, what is there under that name stays.
 * Only its owner may read it.
 */
export async function writeFile(path: string, fill: (sink: LineSink) => Promise<void>): Promise<void> {
  if (await isFolder(path)) throw new InvalidConfigError("--output", `"${path}" is a folder: name a file`);
  const draft = `${path}.part`;
  // One that is left of an earlier run may be readable to others, and would stay so.
  await rm(draft, { force: true });
  const file = await open(draft, "wx", 0o600);
  try {
    await fill({
      write: async (text) => {
        await file.appendFile(text);
      },
    });
    await file.sync();
    await file.close();
    await rename(draft, path);
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(draft, { force: true });
    throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
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
