import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { z } from "zod";
import { type ConsumerProject, ROOT, runNode } from "./consumer-project.js";
import { CJS_CONSUMER, ESM_CONSUMER } from "./consumers.js";
import { type InstalledPackage, installPackage, tool } from "./installed-package.js";

const TypeCheck = z.object({ errors: z.array(z.string()), files: z.array(z.string()) });

const RESOLUTIONS = {
  node16: { module: "node16", moduleResolution: "node16" },
  nodenext: { module: "nodenext", moduleResolution: "nodenext" },
  bundler: { module: "preserve", moduleResolution: "bundler" },
};

// TypeScript reads all declarations of LangChain, which is slow on a busy machine.
const TYPE_CHECK_TIMEOUT_MS = 240_000;

describe("the declarations of the published package", () => {
  let installed: InstalledPackage;
  beforeAll(async () => {
    installed = await installPackage();
  });
  afterAll(() => installed.project.remove());

  it(
    "type-check in a strict project, in every module resolution",
    async () => {
      const checks = await typeCheck(installed.project, Object.values(RESOLUTIONS));
      expect(checks.map(({ errors }) => errors)).toEqual(checks.map(() => []));
      for (const { files } of checks) {
        expect(files).toEqual(expect.arrayContaining(["esm.mts", "cjs.cts"]));
        expect(files.filter((file) => /dist\/index\.d\.c?ts$/.test(file))).toHaveLength(2);
      }
    },
    TYPE_CHECK_TIMEOUT_MS,
  );

  it("pass Are the Types Wrong", async () => {
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
    const outcome = await runNode(
      ROOT,
      tool("@arethetypeswrong/cli/dist/index.js"),
      installed.tarball,
      ...options,
    );
    expect(outcome).toEqual({ code: 0, output: expect.any(String) });
  });
});

/** Type-checks the consumers and the declarations of the package, but not those of LangChain, which have errors in strict mode. */
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
