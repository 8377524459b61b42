import { randomUUID } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ConnectionError } from "../../errors/index.js";
import { codeOf } from "../../errors/error-code.js";

const LOCK_FILE = "langgraph-checkpoint.lock";

// Tells this process from an earlier one that had its id, as the first process of every container has.
const processToken = randomUUID();

/**
 * Takes a folder for one PGlite. PGlite itself lets any number of processes open a folder, each with a cache of its own:
 * both are told that their rows are stored, and the rows of one are gone afterwards.
 *
 * A process that was killed leaves its lock behind, which the next one takes over.
 *
 * @returns What gives the folder free again.
 * @throws ConnectionError when a living process has the folder.
 */
export function lockPGliteFolder(folder: string): () => void {
  const file = join(folder, LOCK_FILE);
  if (!tryToWrite(file)) {
    const owner = readOwner(file);
    if (owner !== undefined && isAlive(owner)) throw inUse(folder, file, owner.pid);
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
    // "wx" fails where the file exists: of two processes, one creates it.
    writeFileSync(file, `${process.pid} ${processToken}`, { flag: "wx", mode: 0o600 });
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

function isAlive({ pid, token }: Owner): boolean {
  if (pid === process.pid) return token === processToken;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user's is alive all the same.
    return codeOf(error) === "EPERM";
  }
}

function inUse(folder: string, file: string, pid: number | undefined): ConnectionError {
  const owner = pid === undefined ? "another process" : `process ${pid}`;
  return new ConnectionError(
    `the PGlite folder ${folder} is open in ${owner}, and a second one would lose rows. Close that one, or use a server ` +
      `(if it is gone for certain, delete ${file})`,
    { transient: false },
  );
}
