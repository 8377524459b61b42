import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { z } from "zod";
import { ConsumerProject, pack, ROOT, runNode } from "./consumer-project.js";
import { CJS_CONSUMER, ESM_CONSUMER, NOTHING_LACKS, RUNTIME_PROGRAMS } from "./consumers.js";

const Manifest = z.object({
  name: z.string(),
  bin: z.record(z.string(), z.string()),
  dependencies: z.record(z.string(), z.string()),
  peerDependencies: z.record(z.string(), z.string()),
  peerDependenciesMeta: z.record(z.string(), z.object({ optional: z.boolean() })),
});

const TypeCheck = z.object({ errors: z.array(z.string()), files: z.array(z.string()) });

const RESOLUTIONS = {
  node16: { module: "node16", moduleResolution: "node16" },
  nodenext: { module: "nodenext", moduleResolution: "nodenext" },
  bundler: { module: "preserve", moduleResolution: "bundler" },
};

// TypeScript reads all of LangChain's declarations; on a busy machine that takes its time.
const TYPE_CHECK_TIMEOUT_MS = 240_000;

const OK = { code: 0, output: "" };

describe("the published package", () => {
  let tarball: string;
  let project: ConsumerProject;
  let manifest: z.infer<typeof Manifest>;

  beforeAll(async () => {
    // Without a build there is nothing to publish; `npm test` builds first.
    await access(join(ROOT, "dist", "index.js"));
    manifest = Manifest.parse(JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")));
    tarball = await pack();
    const required = Object.keys(manifest.peerDependencies).filter(
      (name) => manifest.peerDependenciesMeta[name]?.optional !== true,
    );
    project = await ConsumerProject.create(tarball, [
      ...Object.keys(manifest.dependencies),
      ...required,
      "@types/node",
    ]);
  });

  afterAll(() => project.remove());

  it(
    "type-checks down to its declarations in the strictest project, whatever resolution it has",
    async () => {
      const checks = await typeCheck(project, Object.values(RESOLUTIONS));
      expect(checks.map(({ errors }) => errors)).toEqual(checks.map(() => []));
      for (const { files } of checks) {
        expect(files).toEqual(expect.arrayContaining(["esm.mts", "cjs.cts"]));
        expect(files.filter((file) => /dist\/index\.d\.c?ts$/.test(file))).toHaveLength(2);
      }
    },
    TYPE_CHECK_TIMEOUT_MS,
  );

  it.each(Object.entries(RUNTIME_PROGRAMS))(
    "gives every public name to plain Node without the optional peers: %s",
    async (file, program) => {
      await project.write(file, program);
      const outcome = await runNode(project.folder, join(project.folder, file));
      expect(outcome).toEqual({ code: 0, output: NOTHING_LACKS });
    },
  );

  // Of several commands npx runs the one that has the package's name, and asks a registry where there is none.
  it("has a command of its own name that explains its usage", async () => {
    const path = manifest.bin[manifest.name] ?? "";
    const outcome = await runNode(project.folder, join(project.packageFolder, path), "--help");
    expect(outcome).toEqual({ code: 0, output: expect.stringContaining(`Usage: ${manifest.name}`) });
    expect(new Set(Object.values(manifest.bin))).toEqual(new Set([path]));
  });

  it("leaves nothing of itself in a bundle that uses nothing of it", async () => {
    const entries = ["index", "db", "migrations", "serde"];
    const modules = entries.map((entry) => join(project.packageFolder, "dist", `${entry}.js`));
    expect(await runNode(ROOT, join(ROOT, "tests/package/bundle-nothing.js"), ...modules)).toEqual(OK);
  });

  it("satisfies publint", async () => {
    const outcome = await runNode(ROOT, tool("publint/src/cli.js"), "run", tarball, "--strict");
    expect(outcome).toEqual({ code: 0, output: expect.stringContaining("All good!") });
  });

  it("satisfies Are the Types Wrong", async () => {
    // The oldest resolution, of Node 10, knows no subpaths; Node reads them since 12, and this package needs 20.
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

/** Type-checks the consumers and the declarations of the package, not LangChain's, which are not that strict. */
async function typeCheck(
  project: ConsumerProject,
  resolutions: readonly Record<string, unknown>[],
): Promise<z.infer<typeof TypeCheck>[]> {
  const strict = { strict: true, skipLibCheck: false, exactOptionalPropertyTypes: true };
  await project.write("esm.mts", ESM_CONSUMER);
  await project.write("cjs.cts", CJS_CONSUMER);
  const checks = resolutions.map((resolution) => ({
    compilerOptions: { ...strict, noEmit: true, target: "es2022", types: ["node"], ...resolution },
    files: ["esm.mts", "cjs.cts"],
  }));
  const program = join(ROOT, "tests/package/type-check.js");
  const { output } = await runNode(
    ROOT,
    program,
    project.folder,
    ...checks.map((check) => JSON.stringify(check)),
  );
  const lines = output.trimEnd().split("\n");
  expect(lines).toHaveLength(resolutions.length);
  return lines.map((line) => TypeCheck.parse(JSON.parse(line)));
}

function tool(path: string): string {
  return join(ROOT, "node_modules", path);
}
