import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { z } from "zod";
import { ROOT } from "./consumer-project.js";

const names = z.record(z.string(), z.string());

const Manifest = z.object({
  scripts: names,
  files: z.array(z.string()),
  dependencies: names,
  devDependencies: names,
  peerDependencies: names,
});

const Lock = z.object({
  packages: z.record(
    z.string(),
    z.object({
      dev: z.boolean().optional(),
      hasInstallScript: z.boolean().optional(),
      resolved: z.string().optional(),
    }),
  ),
});

/** The scripts that npm runs when a package is installed from a registry, from git or from a folder. */
const INSTALL_SCRIPTS = [
  "preinstall",
  "install",
  "postinstall",
  "prepublish",
  "preprepare",
  "prepare",
  "postprepare",
  "dependencies",
  "prepack",
];

describe("the manifest and the lock file", () => {
  let manifest: z.infer<typeof Manifest>;
  let lock: z.infer<typeof Lock>;
  let dependencies: string;

  beforeAll(async () => {
    manifest = Manifest.parse(JSON.parse(await readRoot("package.json")));
    lock = Lock.parse(JSON.parse(await readRoot("package-lock.json")));
    dependencies = await readRoot("docs/internals/dependencies.md");
  });

  it("have no install script and no native code to compile", () => {
    expect(Object.keys(manifest.scripts).filter((name) => INSTALL_SCRIPTS.includes(name))).toEqual([]);
    // npm runs node-gyp for a package with such a file.
    expect(manifest.files.filter((file) => /\.gypi?$|[*?{]/.test(file))).toEqual([]);
  });

  it("have no dependency with an install script, of which npm would warn", () => {
    const shipped = Object.entries(lock.packages).filter(([, { dev = false }]) => !dev);
    const withScript = shipped.filter(([, { hasInstallScript = false }]) => hasInstallScript);
    expect(withScript.map(([path]) => path)).toEqual([]);
  });

  it("don't name the registry of the lock file", () => {
    const resolved = Object.entries(lock.packages).filter(([, entry]) => entry.resolved !== undefined);
    expect(resolved.map(([path]) => path)).toEqual([]);
  });

  it("have the same dependencies as the table of docs/internals/dependencies.md, each with a reason", () => {
    const reasons = tableAfter("Runtime dependencies:");
    expect([...reasons.keys()].sort()).toEqual(Object.keys(manifest.dependencies).sort());
    expect(withoutReason(reasons)).toEqual([]);
  });

  it("have the same development dependencies as the table of docs/internals/dependencies.md, each with a reason", () => {
    const reasons = tableAfter("Development dependencies:");
    const installed = Object.keys(manifest.devDependencies);
    const peers = Object.keys(manifest.peerDependencies);
    expect(installed.filter((name) => !reasons.has(name) && !peers.includes(name))).toEqual([]);
    expect([...reasons.keys()].filter((name) => !installed.includes(name))).toEqual([]);
    expect(withoutReason(reasons)).toEqual([]);
  });

  it("have only peer dependencies that docs/internals/dependencies.md names", () => {
    const paragraph = /^Peer dependencies:[^]*?\n\n/m.exec(dependencies)?.[0] ?? "";
    expect(quotedNames(paragraph).sort()).toEqual(
      expect.arrayContaining(Object.keys(manifest.peerDependencies).sort()),
    );
  });

  /** The packages in the first column of a table, each with its reason in the second column. */
  function tableAfter(line: string): Map<string, string> {
    const [, after = ""] = dependencies.split(`\n${line}\n`);
    const [table = ""] = after.trimStart().split("\n\n");
    // The first two lines are the header and its separator.
    const rows = table
      .split("\n")
      .slice(2)
      .map((row) => row.split("|").map((cell) => cell.trim()));
    return new Map(
      rows.flatMap(([, packages = "", reason = ""]) => quotedNames(packages).map((name) => [name, reason])),
    );
  }
});

function withoutReason(reasons: ReadonlyMap<string, string>): string[] {
  return [...reasons].filter(([, reason]) => !/\w{4,}/.test(reason)).map(([name]) => name);
}

function quotedNames(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
}

function readRoot(file: string): Promise<string> {
  return readFile(join(ROOT, file), "utf8");
}
