import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../../errors/error-code.js";

/** What others than the owner may do with a file. */
const OTHERS = 0o077;
/** What every folder with a Postgres in it has. */
const MARK = "PG_VERSION";
/** Windows has no such modes: who may read a file is inherited from its folder there. */
const HAS_MODES = process.platform !== "win32";

/**
 * Makes a folder for a database that nobody but its owner can enter. One that is there is closed to others too, with all
 * that is in it, if it is empty or has a database in it: any other folder is left as it is.
 *
 * @returns Closes what has been made in the folder since.
 */
export function makePrivateFolder(folder: string): () => void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!HAS_MODES || !(existsSync(join(folder, MARK)) || readdirSync(folder).length === 0)) return noop;
  const close = (): void => {
    closeToOthers(folder);
  };
  close();
  return close;
}

function closeToOthers(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.isSymbolicLink()) return;
  // The folder first: from then on nobody else comes to what is in it.
  if ((stats.mode & OTHERS) !== 0) takeRights(path, stats.mode);
  if (!stats.isDirectory()) return;
  for (const name of readdirSync(path)) closeToOthers(join(path, name));
}

function takeRights(path: string, mode: number): void {
  try {
    chmodSync(path, withoutOthers(mode) & 0o777);
  } catch (error) {
    // A folder of another user's, who has opened it to this one: its rights are not ours to set.
    if (codeOf(error) !== "EPERM") throw error;
  }
}

/** A mode without the rights of others than the owner. */
export function withoutOthers(mode: number): number {
  return mode & ~OTHERS;
}

function noop(): void {
  // Nothing of it is ours.
}
