import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import pg from "pg";
import type { Driver } from "./driver.js";

const run = promisify(execFile);

/** A client as that of `pg-native`, for machines without it: its queries get no messages of the server, and nobody knows its process. */
class NativeLikeClient extends pg.Client {
  static readonly Query = class {
    submit(): void {
      // That of pg-native gives the text to libpq.
    }
  };
  readonly processID = undefined;
}

/** A driver that sends one statement at a time, as `pg-native` does. */
export const NATIVE_LIKE: Driver = {
  name: "a driver that sends one statement at a time",
  openPool: (config) => new pg.Pool({ ...config, Client: NativeLikeClient }),
};

/** It is compiled when it is installed, so it is no dependency of this project, whose `npm ci` needs no compiler. */
const PACKAGES = { pg: "8.23.1", "pg-native": "3.9.0" };

/** Each version of Node.js has its own, since a compiled addon fits only one. */
const FOLDER = fileURLToPath(
  new URL(
    `../../.cache/pg-native/${Object.values(PACKAGES).join("-")}-abi${process.versions.modules}`,
    import.meta.url,
  ),
);

/**
 * Returns the driver, which this installs at its first use, or `undefined` where it can't be compiled: that takes a compiler and the
 * header files of libpq (`apt-get install g++ make python3 libpq-dev`).
 */
export async function installedPgNative(): Promise<Driver | undefined> {
  try {
    const { stdout: headers } = await run("pg_config", ["--includedir"]);
    if (!existsSync(join(headers.trim(), "libpq-fe.h"))) return undefined;
    if (!existsSync(FOLDER)) await install();
    // Past Jest's loader, which can't load a native addon twice.
    const load = process.getBuiltinModule("node:module").createRequire(join(FOLDER, "package.json"));
    const { native } = load("pg") as { readonly native: { readonly Pool: typeof pg.Pool } };
    return { name: "pg-native", openPool: (config) => new native.Pool(config) };
  } catch {
    return undefined;
  }
}

/** Installs into a folder that gets its name when it is complete. Several test workers may do so at once; the first one wins. */
async function install(): Promise<void> {
  await mkdir(join(FOLDER, ".."), { recursive: true });
  const draft = await mkdtemp(`${FOLDER}-`);
  try {
    await writeFile(join(draft, "package.json"), JSON.stringify({ private: true, dependencies: PACKAGES }));
    await run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline"], { cwd: draft });
    await rename(draft, FOLDER);
  } catch (error) {
    await rm(draft, { recursive: true });
    if (!existsSync(FOLDER)) throw error;
  }
}
