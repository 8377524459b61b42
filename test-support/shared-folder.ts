import { chmod, chown, mkdtemp, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Whom the server runs as; Postgres refuses to run as root. Empty where the tests don't run as root. */
export interface ServerUser {
  readonly uid?: number;
  readonly gid?: number;
}

/** Makes a new temporary folder that `user` owns and can reach; the temporary folder of root may be root's alone. */
export async function makeSharedFolder(prefix: string, user: ServerUser): Promise<string> {
  const parent = (await isOpenToAll(tmpdir())) || user.uid === undefined ? tmpdir() : "/tmp";
  const folder = await mkdtemp(join(parent, prefix));
  await chmod(folder, 0o755);
  await ownedBy(folder, user);
  return folder;
}

/** Gives `path` to `user`, if that is another one than the user that the tests run as. */
export async function ownedBy(path: string, user: ServerUser): Promise<void> {
  if (user.uid !== undefined && user.gid !== undefined) await chown(path, user.uid, user.gid);
}

async function isOpenToAll(folder: string): Promise<boolean> {
  const { mode } = await stat(folder);
  if ((mode & 0o001) === 0) return false;
  return dirname(folder) === folder || isOpenToAll(dirname(folder));
}
