import { access, readdir } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, it } from "@jest/globals";
import { build } from "esbuild";
import { z } from "zod";
import { type BundledFile, loadedAtOnce } from "../../test-support/loaded-at-once.js";
import { ROOT, runNode } from "./consumer-project.js";

/** The drivers of the backends, by the packages and modules that they are loaded from. */
const DRIVERS = {
  postgres: /\/node_modules\/(?:pg|@electric-sql\/[^/]+)\//,
  sqlite: /\/node_modules\/better-sqlite3/,
  redis: /\/node_modules\/(?:@?redis|ioredis)\//,
};
type Driver = keyof typeof DRIVERS;

const ENTRIES: [entry: string, loaded: Driver[]][] = [
  ["index", ["postgres"]],
  ["store", ["postgres"]],
  ["cache", ["postgres"]],
  ["conversations", ["postgres"]],
  ["inspector", ["postgres"]],
  ["cli", []],
  ["checkpoint-store", ["postgres"]],
  ["checkpoint-store/sqlite", []],
  ["checkpoint-store/redis", []],
];

/** The paths of the modules that each entry loads. */
const modulesOf = new Map<string, readonly string[]>();

// Needs a build; `npm test` builds first.
beforeAll(async () => {
  await access(join(ROOT, "dist", "index.js"));
  const drivers = Object.values(DRIVERS).map(({ source }) => source);
  const files = ENTRIES.map(([entry]) => join(ROOT, "dist", `${entry}.cjs`));
  const program = join(ROOT, "tests/package/list-loaded.cjs");
  const { code, output } = await runNode(ROOT, program, drivers.join("|"), ...files);
  expect({ code, output }).toMatchObject({ code: 0 });
  const lines = output.trimEnd().split("\n");
  for (const [index, [entry]] of ENTRIES.entries()) {
    modulesOf.set(entry, z.array(z.string()).parse(JSON.parse(lines[index] ?? "")));
  }
});

it.each(ENTRIES)("the entry %s loads only these drivers: %j", (entry, loaded) => {
  const modules = modulesOf.get(entry) ?? [];
  const found = Object.entries(DRIVERS).filter(([, pattern]) => modules.some((url) => pattern.test(url)));
  expect(found.map(([driver]) => driver)).toEqual(loaded);
  const ofStores = modules.filter((url) => /\/dist\/checkpoint-store(?:\.cjs|\/)/.test(url));
  expect(ofStores.length > 0).toBe(entry.startsWith("checkpoint-store"));
  // The page is loaded when somebody opens it.
  const ofInspector = modules.filter((url) => /\/dist\/(?:create-)?inspector/.test(url));
  expect(ofInspector.length > 0).toBe(entry === "inspector");
  expect(ofInspector.filter((url) => url.endsWith("inspector-page.js"))).toEqual([]);
});

it("the saver's entry loads few files, since each takes time to be found and read", () => {
  const ours = (modulesOf.get("index") ?? []).filter((path) => path.startsWith(join(ROOT, "dist")));
  expect(ours.length).toBeLessThanOrEqual(6);
});

it("a bundle with only the saver has no code of other entries, and loads its features when they are called", async () => {
  const { metafile } = await build({
    stdin: {
      contents: `import { PostgresSaver } from "./src/index.ts"; console.log(PostgresSaver);`,
      resolveDir: ROOT,
    },
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    packages: "external",
    outdir: "out",
    write: false,
    metafile: true,
  });
  const whole = roomsOf(Object.values(metafile.outputs));
  expect(
    [
      "store",
      "cache",
      "conversations",
      "checkpoint-store",
      "inspector",
      "cli",
      "conformance",
      "estimate",
    ].filter((room) => whole.has(room)),
  ).toEqual([]);
  expect([...whole]).toEqual(expect.arrayContaining(["saver", "audit", "doctor", "compaction"]));
  const atOnce = roomsOf(loadedAtOnce(metafile));
  expect(atOnce).toContain("saver");
  expect(
    ["audit", "doctor", "compaction", "sanitize", "migrations", "health"].filter((room) => atOnce.has(room)),
  ).toEqual([]);
});

it("no module has an effect as it loads, which Cloudflare Workers refuse", async () => {
  const dist = join(ROOT, "dist");
  const files = (await readdir(dist, { recursive: true })).filter((file) => file.endsWith(".cjs"));
  const program = join(ROOT, "tests/package/load-without-effects.cjs");
  const outcome = await runNode(ROOT, program, ...files.map((file) => join(dist, file)));
  expect(outcome).toEqual({ code: 0, output: "" });
});

/** Returns the folders of src of which an output has code. */
function roomsOf(outputs: readonly BundledFile[]): Set<string> {
  const inputs = outputs.flatMap((output) => Object.entries(output.inputs));
  const withCode = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path);
  return new Set(withCode.flatMap((path) => /^src\/([^/]+)\//.exec(path)?.[1] ?? []));
}
