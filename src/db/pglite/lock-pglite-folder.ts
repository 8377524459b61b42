import { randomUUID } from "node:crypto";
import {
  readFileSync,
  rmSync,
  writeFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
} from "node:fs";
import { join } from "node:path";
import { ConnectionError } from "../../errors/index.js";
import { noop } from "../async/noop.js";
import { codeOf } from "../../errors/thrown.js";

const LOCK_FILE = "langgraph-checkpoint.lock";

let token: string | undefined;

/**
 * Distinguishes this process from an earlier one with the same id: the first process of every container has the same. It is made at the
 * first lock, because Cloudflare Workers refuses random numbers while modules load.
 */
function processToken(): string {
  token ??= randomUUID();
  return token;
}

/**
 * Locks a folder for one PGlite. PGlite itself lets any number of processes open a folder, each with its own
 * cache: both report that their rows are stored, and the rows of one are lost afterwards.
 *
 * If a process is killed it leaves its lock behind, which the next process takes over.
 *
 * @returns A function that unlocks the folder.
 * @throws ConnectionError when a running process has locked the folder.
 */
export function lockPGliteFolder(folder: string): () => void {
  const file = join(folder, LOCK_FILE);
  if (!tryToWrite(file)) {
    const owner = readOwner(file);
    if (owner !== undefined && isRunning(owner)) throw inUse(folder, file, owner.pid);
    rmSync(file, { force: true });
    if (!tryToWrite(file)) throw inUse(folder, file, readOwner(file)?.pid);
  }
  return () => {
    rmSync(file, { force: true });
  };
}

interface Owner {
  readonly pid: number;
  readonly token: string;
}

function tryToWrite(file: string): boolean {
  try {
    // "wx" fails if the file exists: only one of two processes creates it.
    writeFileSync(file, `${process.pid} ${processToken()}`, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

function readOwner(file: string): Owner | undefined {
  try {
    const [pid = "", token = ""] = readFileSync(file, "utf8").split(" ");
    return /^\d+$/.test(pid) ? { pid: Number(pid), token } : undefined;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

function isRunning({ pid, token: owned }: Owner): boolean {
  if (pid === process.pid) return owned === processToken();
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process runs as another user.
    return codeOf(error) === "EPERM";
  }
}

function inUse(folder: string, file: string, pid: number | undefined): ConnectionError {
  const owner = pid === undefined ? "another process" : `process ${pid}`;
  return new ConnectionError(
    `the PGlite folder ${folder} is open in ${owner}, and a second process would lose rows. Close it there, or use a ` +
      `Postgres server (if that process has certainly ended, delete ${file})`,
    { transient: false },
  );
}

type Operation = (this: unknown, ...args: unknown[]) => unknown;

/**
 * Makes an open PGlite create its files for their owner alone. Its file system calls `chmod` with the mode
 * that Postgres asks for, so that the umask of the process has no effect. PGlite's own umask is unset unless
 * Postgres sets it.
 *
 * @param pglite - A PGlite in a folder. If its file system is not as expected nothing changes: the folder is
 *   private anyway.
 */
export function makeFilesPrivate(pglite: object): void {
  const operations = ["Module", "FS", "filesystems", "NODEFS"].reduce<unknown>(propertyOf, pglite);
  const nodes = propertyOf(operations, "node_ops");
  // mknod(parent, name, mode, device)
  replace(nodes, "mknod", ([parent, name, mode, ...rest]) => [parent, name, narrowed(mode), ...rest]);
  // setattr(nodeOrStream, attributes)
  const narrowAttributes = ([file, attributes, ...rest]: unknown[]): unknown[] => [
    file,
    withNarrowedMode(attributes),
    ...rest,
  ];
  replace(nodes, "setattr", narrowAttributes);
  replace(propertyOf(operations, "stream_ops"), "setattr", narrowAttributes);
}

function replace(operations: unknown, name: string, change: (args: unknown[]) => unknown[]): void {
  const original = propertyOf(operations, name);
  if (typeof operations !== "object" || operations === null || !isOperation(original)) return;
  const replaced: Operation = function (...args) {
    return original.apply(this, change(args));
  };
  Reflect.set(operations, name, replaced);
}

function isOperation(value: unknown): value is Operation {
  return typeof value === "function";
}

function withNarrowedMode(attributes: unknown): unknown {
  const mode = propertyOf(attributes, "mode");
  return typeof mode === "number" ? { ...Object(attributes), mode: withoutOthers(mode) } : attributes;
}

function narrowed(mode: unknown): unknown {
  return typeof mode === "number" ? withoutOthers(mode) : mode;
}

function propertyOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

/** The permissions of group and others. */
const OTHERS = 0o077;
/** A file that every Postgres data folder has. */
const DATABASE_FILE = "PG_VERSION";
/** Windows has no such modes: files inherit the permissions of their folder there. */
const HAS_MODES = process.platform !== "win32";

/**
 * Creates a folder for a database that only its owner can enter. Of an existing folder it removes other
 * users' access, files included, if the folder is empty or contains a database. Any other folder stays as it
 * is.
 *
 * @returns A function that does the same for files that were created since.
 */
export function makePrivateFolder(folder: string): () => void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!HAS_MODES || !(existsSync(join(folder, DATABASE_FILE)) || readdirSync(folder).length === 0))
    return noop;
  const close = (): void => {
    removeOthersAccess(folder);
  };
  close();
  return close;
}

function removeOthersAccess(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isSymbolicLink()) return;
  // The folder first: from then on nobody else can reach its files.
  if ((stats.mode & OTHERS) !== 0) restrictMode(path, stats.mode);
  if (!stats.isDirectory()) return;
  for (const name of readdirSync(path)) removeOthersAccess(join(path, name));
}

function restrictMode(path: string, mode: number): void {
  try {
    chmodSync(path, withoutOthers(mode) & 0o777);
  } catch (error) {
    // Another user owns the folder: this process can't change its permissions.
    if (codeOf(error) !== "EPERM") throw error;
  }
}

/** Removes the permissions of group and others from a mode. */
export function withoutOthers(mode: number): number {
  return mode & ~OTHERS;
}
