import { readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { loadedAtOnce } from "../../test-support/loaded-at-once.js";
import type { Subject } from "../subjects.js";

/** Sizes in bytes. */
export interface WeightFigures {
  /** The files of the package. */
  readonly installed: number;
  /** An application that only imports the saver, minified. */
  readonly bundle: number;
  /** The part of it that loads at once where the bundler splits. */
  readonly loadedAtOnce: number;
  /** All of it, compressed, as it is uploaded to a serverless platform. */
  readonly uploaded: number;
}

/** Measures what a saver adds to a disk and to a bundle, without PGlite. */
export async function measureWeight(subject: Subject): Promise<WeightFigures> {
  const whole = await bundleOf(subject, false);
  const split = await bundleOf(subject, true);
  const code = whole.outputFiles.map(({ contents }) => contents);
  return {
    installed: await bytesOf(subject),
    bundle: sum(code.map(({ length }) => length)),
    loadedAtOnce: sum(loadedAtOnce(split.metafile).map(({ bytes }) => bytes)),
    uploaded: sum(code.map((bytes) => gzipSync(bytes).length)),
  };
}

function bundleOf({ packageName }: Subject, splitting: boolean) {
  return build({
    stdin: {
      contents: `import { PostgresSaver } from ${JSON.stringify(packageName)}; console.log(PostgresSaver);`,
      resolveDir: fileURLToPath(new URL(".", import.meta.url)),
    },
    bundle: true,
    splitting,
    minify: true,
    platform: "node",
    format: "esm",
    external: ["@electric-sql/*", "pg-native", "cloudflare:sockets"],
    outdir: "out",
    write: false,
    metafile: true,
  });
}

/** Counts what is published: our checkout has more. */
async function bytesOf({ manifest }: Subject): Promise<number> {
  const folder = dirname(fileURLToPath(manifest));
  const published = ["bin", "dist", "package.json", "README.md", "LICENSE"];
  const sizes = published.map(async (name) => {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found === undefined) return 0;
    const inside = found.isDirectory() ? await readdir(path, { recursive: true }) : [""];
    const files = await Promise.all(inside.map((each) => stat(join(path, each))));
    return sum(files.filter((file) => file.isFile()).map(({ size }) => size));
  });
  return sum(await Promise.all(sizes));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
