import { access, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { z } from "zod";
import { ConsumerProject, pack, ROOT, runNode } from "./consumer-project.js";
import { CJS_CONSUMER, ESM_CONSUMER, NOTHING_MISSING, RUNTIME_PROGRAMS } from "./consumers.js";

const Manifest = z.object({
  name: z.string(),
  bin: z.record(z.string(), z.string()),
  dependencies: z.record(z.string(), z.string()),
  peerDependencies: z.record(z.string(), z.string()),
  peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.boolean() })),
});

// TypeScript reads all declarations of LangChain, which is slow on a busy machine.
const TYPE_CHECK_TIMEOUT_MS = 240_000;

const OK = { code: 0, output: "" };

describe("the published package", () => {
  let folder: string;
  let tarball: string;
  let project: ConsumerProject;
  let manifest: z.infer<typeof Manifest>;

  beforeAll(async () => {
    // The package needs a build; `npm test` builds first.
    await access(join(ROOT, "dist", "index.js"));
    manifest = Manifest.parse(JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")));
    folder = await mkdtemp(join(tmpdir(), "package-"));
    tarball = await pack(folder);
    const required = Object.keys(manifest.peerDependencies).filter(
      (name) => manifest.peerDependenciesMeta[name]?.optional !== true,
    );
    project = await ConsumerProject.create(tarball, [
      ...Object.keys(manifest.dependencies),
      ...required,
      "@types/node",
    ]);
  });

  afterAll(async () => {
    await project.remove();
    await rm(folder, { recursive: true });
  });

  it.each([
    ["node16", "node16"],
    ["nodenext", "nodenext"],
    ["bundler", "preserve"],
  ])(
    "type-checks with its declarations in a strict project, resolution %s",
    async (resolution, module) => {
      expect(await diagnostics(project, { module, moduleResolution: resolution })).toEqual([]);
    },
    TYPE_CHECK_TIMEOUT_MS,
  );

  it.each(Object.entries(RUNTIME_PROGRAMS))(
    "exports every public name in plain Node without the optional peers: %s",
    async (file, program) => {
      await project.write(file, program);
      const outcome = await runNode(project.folder, join(project.folder, file));
      expect(outcome).toEqual({ code: 0, output: NOTHING_MISSING });
    },
  );

  // If a package has several commands, npx runs the one with the name of the package.
  it("has a command with its own name, which prints help", async () => {
    const path = manifest.bin[manifest.name] ?? "";
    const outcome = await runNode(project.folder, join(project.packageFolder, path), "--help");
    expect(outcome).toEqual({ code: 0, output: expect.stringContaining(`Usage: ${manifest.name}`) });
    expect(new Set(Object.values(manifest.bin))).toEqual(new Set([path]));
  });

  it("adds nothing to a bundle that imports it without using it", async () => {
    const entries = ["index", "db", "migrations", "serde"];
    const modules = entries.map((entry) => join(project.packageFolder, "dist", `${entry}.js`));
    expect(await runNode(ROOT, join(ROOT, "tests/package/bundle-nothing.js"), ...modules)).toEqual(OK);
  });

  it("passes publint", async () => {
    const outcome = await runNode(ROOT, tool("publint/src/cli.js"), "run", tarball, "--strict");
    expect(outcome).toEqual({ code: 0, output: expect.stringContaining("All good!") });
  });

  it("passes Are the Types Wrong", async () => {
    // The profile leaves out the resolution of Node 10, which does not support subpath exports. This package needs Node 20.
    const options = [
      "--profile",
      "node16",
      "--no-definitely-typed",
      "--format",
      "ascii",
      "--no-emoji",
      "--no-color",
    ];
    const outcome = await runNode(ROOT, tool("@arethetypeswrong/cli/dist/index.js"), tarball, ...options);
    expect(outcome).toEqual({ code: 0, output: expect.any(String) });
  });
});

/** The errors of TypeScript in the consumer and in the package. LangChain's own declarations have errors in strict mode. */
async function diagnostics(project: ConsumerProject, options: Record<string, unknown>): Promise<string[]> {
  const strict = { strict: true, skipLibCheck: false, exactOptionalPropertyTypes: true };
  const compilerOptions = { ...strict, noEmit: true, target: "es2022", types: ["node"], ...options };
  await project.write("tsconfig.json", JSON.stringify({ compilerOptions, files: ["esm.mts", "cjs.cts"] }));
  await project.write("esm.mts", ESM_CONSUMER);
  await project.write("cjs.cts", CJS_CONSUMER);
  const { output } = await runNode(project.folder, tool("typescript/bin/tsc"), "--pretty", "false");
  // Dependencies are links into the checkout, so that paths outside the project belong to them.
  return output.split("\n").filter((line) => line !== "" && !/^(\.\.\/| )/.test(line));
}

function tool(path: string): string {
  return join(ROOT, "node_modules", path);
}
