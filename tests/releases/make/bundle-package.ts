import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { z } from "zod";

/** The entries that a process of an application uses beside the newest version. */
const ENTRIES = ["index", "db", "migrations", "serde", "store", "cache", "checkpoint-store"];

const Manifest = z.object({ peerDependencies: z.record(z.string(), z.string()) });

/**
 * Packs what the entries of an installed package load as ES modules, together with the dependencies of that version: a later checkout may
 * not have them. Its peers are left out, and so are the inspector, the command line, the CommonJS files, declarations and source maps.
 *
 * @param folder - Where the package is installed.
 * @param tarball - The file to write. It is the same for the same package.
 */
export async function bundlePackage(folder: string, tarball: string): Promise<void> {
  const draft = await mkdtemp(join(tmpdir(), "bundled-package-"));
  const target = join(draft, "package");
  const manifest = Manifest.parse(JSON.parse(await readFile(join(folder, "package.json"), "utf8")));
  try {
    await build({
      absWorkingDir: folder,
      entryPoints: ENTRIES.map((name) => `dist/${name}.js`).filter((file) => existsSync(join(folder, file))),
      bundle: true,
      splitting: true,
      minifyWhitespace: true,
      platform: "node",
      format: "esm",
      target: `node${process.versions.node}`,
      external: Object.keys(manifest.peerDependencies),
      // For dependencies that are CommonJS.
      banner: { js: 'import{createRequire as __cr}from"node:module";const require=__cr(import.meta.url);' },
      outdir: join(target, "dist"),
      logLevel: "error",
    });
    for (const file of ["package.json", "LICENSE"]) await cp(join(folder, file), join(target, file));
    const sameBytes = [
      "--sort=name",
      "--owner=0",
      "--group=0",
      "--numeric-owner",
      "--mode=a+rX,go-w",
      "--mtime=@0",
    ];
    const tar = execFileSync("tar", ["--create", ...sameBytes, "package"], {
      cwd: draft,
      maxBuffer: 2 ** 27,
    });
    await writeFile(tarball, gzipSync(tar, { level: 9 }));
  } finally {
    await rm(draft, { recursive: true });
  }
}
