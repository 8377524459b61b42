import { chmod, chown, mkdtemp, stat, statfs } from "node:fs/promises";
import { freemem, tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** The user that runs the server, because Postgres refuses to run as root. Empty where the tests don't run as root. */
export interface ServerUser {
  readonly uid?: number;
  readonly gid?: number;
}

/** Creates a temporary folder that `user` owns and can reach. The temporary folder of root may be closed to others. */
export async function makeSharedFolder(prefix: string, user: ServerUser): Promise<string> {
  const parent = (await isOpenToAll(tmpdir())) || user.uid === undefined ? tmpdir() : "/tmp";
  return makeFolder(parent, prefix, user);
}

/** Where Linux keeps files in memory. */
const MEMORY = "/dev/shm";
const NEEDED_MEMORY_BYTES = 4 * 1024 ** 3;

/**
 * Creates a temporary folder like {@link makeSharedFolder}, in memory if there is enough of it. Creating a database in
 * memory takes a tenth of the time that it takes on a disk.
 */
export async function makeDataFolder(prefix: string, user: ServerUser): Promise<string> {
  if (!(await hasFreeMemory())) return makeSharedFolder(prefix, user);
  return makeFolder(MEMORY, prefix, user);
}

async function hasFreeMemory(): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(MEMORY);
    return Math.min(bavail * bsize, freemem()) >= NEEDED_MEMORY_BYTES;
  } catch {
    return false;
  }
}

async function makeFolder(parent: string, prefix: string, user: ServerUser): Promise<string> {
  const folder = await mkdtemp(join(parent, prefix));
  await chmod(folder, 0o755);
  await ownedBy(folder, user);
  return folder;
}

/** Gives `path` to `user`, if the tests run as another user. */
export async function ownedBy(path: string, user: ServerUser): Promise<void> {
  if (user.uid !== undefined && user.gid !== undefined) await chown(path, user.uid, user.gid);
}

async function isOpenToAll(folder: string): Promise<boolean> {
  const { mode } = await stat(folder);
  if ((mode & 0o001) === 0) return false;
  return dirname(folder) === folder || isOpenToAll(dirname(folder));
}
