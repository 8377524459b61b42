import { execFile } from "node:child_process";
import { readdir, readFile, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { isAbsolute, join } from "node:path";
import { promisify, types } from "node:util";
import { expect, it } from "@jest/globals";
import { build } from "esbuild";
import { rollup } from "rollup";
import { z } from "zod";
import * as library from "../../src/index.js";
import { MAX_PACKED_BYTES, MAX_UNPACKED_BYTES, unexpectedFiles } from "../../release/packed-files.js";
import { pack, ROOT, runNode } from "./consumer-project.js";
import { tool } from "./installed-package.js";

const ENTRIES = [
  "index",
  "cache",
  "checkpoint-store",
  "checkpoint-store/redis",
  "checkpoint-store/sqlite",
  "conformance",
  "conversations",
  "db",
  "inspector",
  "migrations",
  "serde",
  "store",
].map((entry) => join(ROOT, "dist", `${entry}.js`));

it("no bundler warns of the package, also Rollup, which reads annotations most strictly", async () => {
  const warnings: string[] = [];
  await rollup({
    input: ENTRIES,
    external: (id) => !/^[./]/.test(id) && !isAbsolute(id),
    onwarn: ({ message }) => warnings.push(message),
  });
  expect(warnings).toEqual([]);
});

it("the package adds nothing to a bundle that imports it without using it", async () => {
  expect(await runNode(ROOT, join(ROOT, "tests/package/bundle-nothing.js"), ...ENTRIES)).toEqual({
    code: 0,
    output: "",
  });
});

it("the package passes publint", async () => {
  const outcome = await runNode(ROOT, tool("publint/src/cli.js"), "run", await pack(), "--strict");
  expect(outcome).toEqual({ code: 0, output: expect.stringContaining("All good!") });
});

it("the package contains what release/packed-files.ts allows, and is not much larger than before", async () => {
  const { stdout } = await promisify(execFile)("tar", ["-tvzf", await pack()]);
  // Permissions, owner, size, date, time, path.
  const files = stdout
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/));
  expect(unexpectedFiles(files.map(([, , , , , path = ""]) => path.replace("package/", "")))).toEqual([]);
  expect((await stat(await pack())).size).toBeLessThan(MAX_PACKED_BYTES);
  expect(files.reduce((sum, [, , size]) => sum + Number(size), 0)).toBeLessThan(MAX_UNPACKED_BYTES);
});

it("the CommonJS build requires no package that is an ES module, which Jest with its defaults can't load", async () => {
  const dist = join(ROOT, "dist");
  const files = (await readdir(dist, { recursive: true })).filter((file) => file.endsWith(".cjs"));
  const sources = await Promise.all(files.map((file) => readFile(join(dist, file), "utf8")));
  const required = sources.flatMap((source) => [...source.matchAll(/require\("([^."][^"]*)"\)/g)]);
  const names = new Set(required.map(([, name = ""]) => name));
  const requireFromDist = createRequire(join(dist, "index.cjs"));
  expect(names.size).toBeGreaterThan(20);
  const packages = [...names].filter((name) => !name.startsWith("#"));
  expect(packages.filter((name) => types.isModuleNamespaceObject(requireFromDist(name)))).toEqual([]);
});

it("bundlers see no optional peer, or see it in a try block, so that they succeed where it is not installed", async () => {
  const manifest = z.object({
    peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.boolean() })),
  });
  const { peerDependenciesMeta } = manifest.parse(
    JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")),
  );
  const peer = `"(${Object.keys(peerDependenciesMeta).join("|")})(?:/[^"]*)?"`;
  const comments = String.raw`(?:\s|/\*.*?\*/)*`;
  // They read no comment in a `require`. A function in a `try` block is outside of it for them.
  const visible = String.raw`(?:\bfrom ?|\bimport ?|\bimport\(|\brequire\(${comments})${peer}`;
  const attempt = /\btry\s*\{\s*const\s*\{[^}]*\}\s*=\s*(?:\/\*.*?\*\/\s*)?await\b[^>;]*$/;
  const dist = join(ROOT, "dist");
  const seen = new Set<string>();
  for (const name of (await readdir(dist, { recursive: true })).filter((file) => /\.c?js$/.test(file))) {
    const code = await readFile(join(dist, name), "utf8");
    for (const { index, 1: found } of code.matchAll(new RegExp(visible, "g"))) {
      seen.add(`${attempt.test(code.slice(0, index)) ? "tried" : name}: ${found}`);
    }
  }
  expect([...seen]).toEqual(["tried: @langchain/langgraph"]);
});

it("errors keep their names where an application is minified, since programs look for an AbortError by its name", async () => {
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, "dist", "index.js")],
    bundle: true,
    minify: true,
    platform: "node",
    format: "esm",
    packages: "external",
    write: false,
  });
  const code = outputFiles[0]?.text ?? "";
  const named = Object.keys(library).filter((name) => name.endsWith("Error"));
  expect(named.length).toBeGreaterThan(25);
  expect(named.filter((name) => !code.includes(`name="${name}"`))).toEqual([]);
});
