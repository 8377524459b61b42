import { randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "../errors/thrown.js";
import { InvalidConfigError } from "../errors/index.js";
import type { ArchiveCallOptions, ArchiveTarget } from "./archive-types.js";

/** Begins the names of files that are not complete. No name of an archived file begins with it. */
const DRAFT = ".draft-";

/**
 * Returns a folder as the target of `archive`. It is created on the first write, for its owner only (mode 0700), and files have mode 0600. A file gets
 * its name once its content is on the disk, and a file that has its name is found again after a crash: the file is flushed
 * (fsync), renamed, and the folder is flushed. A killed write leaves a file whose name begins with `.draft-`, which can be removed.
 *
 * @param path - The path of the folder.
 * @throws InvalidConfigError for an empty path.
 *
 * @example
 * ```ts
 * await checkpointer.archive({ idleForMs: 90 * 24 * 60 * 60 * 1000, to: archiveFolder("/var/archive/threads") });
 * ```
 */
export function archiveFolder(path: string): ArchiveTarget {
  if (typeof path !== "string" || path === "") {
    throw new InvalidConfigError("path", "must be the path of a folder");
  }
  return {
    write: (name, content, options) => writeDurably(path, name, { content, options }),
    read: (name, { signal }) => createReadStream(join(path, name), { signal }),
    list: (prefix) => namesIn(path, prefix),
  };
}

interface Written {
  readonly content: AsyncIterable<Uint8Array>;
  readonly options: ArchiveCallOptions;
}

async function writeDurably(path: string, name: string, { content, options }: Written): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const draft = join(path, `${DRAFT}${randomBytes(8).toString("hex")}`);
  const file = await open(draft, "wx", 0o600);
  try {
    for await (const chunk of content) {
      options.signal?.throwIfAborted();
      await file.writeFile(chunk);
    }
    await file.sync();
    await file.close();
    await rename(draft, join(path, name));
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(draft, { force: true });
    throw error;
  }
  await flushFolder(path);
}

/** Makes the new name of a file durable. Windows has no such operation, and opens no folders. */
async function flushFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function* namesIn(path: string, prefix: string): AsyncGenerator<string> {
  const names = await readdir(path).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  });
  for (const name of names) if (name.startsWith(prefix) && !name.startsWith(DRAFT)) yield name;
}
