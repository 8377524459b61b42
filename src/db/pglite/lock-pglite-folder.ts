import { randomUUID } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConnectionError } from "../../errors/index.js";
import { codeOf } from "../../errors/error-code.js";

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
