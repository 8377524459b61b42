import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../../errors/error-code.js";
import { noop } from "../async/noop.js";

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
