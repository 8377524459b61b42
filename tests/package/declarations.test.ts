import { relative } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type ConsumerProject, ROOT, runNode } from "./consumer-project.js";
import { CJS_CONSUMER, ESM_CONSUMER } from "./consumers.js";
import { type InstalledPackage, installPackage, tool, TSC } from "./installed-package.js";

/** What TypeScript says about a project. */
interface TypeCheck {
  readonly errors: readonly string[];
  /** The files in the folder of the project that it read. */
  readonly files: readonly string[];
}

const RESOLUTIONS = {
  node16: { module: "node16", moduleResolution: "node16" },
  nodenext: { module: "nodenext", moduleResolution: "nodenext" },
  bundler: { module: "preserve", moduleResolution: "bundler" },
};

const STRICT = {
  ...{ strict: true, skipLibCheck: false, exactOptionalPropertyTypes: true },
  ...{ noEmit: true, target: "es2022", types: ["node"] },
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
      const { project } = installed;
      await project.write("esm.mts", ESM_CONSUMER);
      await project.write("cjs.cts", CJS_CONSUMER);
      const checks: TypeCheck[] = [];
      for (const [name, resolution] of Object.entries(RESOLUTIONS)) {
        const compilerOptions = { ...STRICT, ...resolution };
        await project.write(
          `${name}.json`,
          JSON.stringify({ compilerOptions, files: ["esm.mts", "cjs.cts"] }),
        );
        checks.push(await typeCheck(project, `${name}.json`));
      }
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
async function typeCheck({ folder }: ConsumerProject, project: string): Promise<TypeCheck> {
  const options = ["--singleThreaded", "--listFiles", "--pretty", "false"];
  const { output } = await runNode(folder, TSC, "--project", project, ...options);
  const lines = output.split("\n");
  return {
    // An error in a file begins with its path relative to the project, any other with `error`.
    errors: lines.filter((line) => /(^|: )error TS/.test(line) && !line.startsWith("..")),
    files: lines.filter((line) => line.startsWith(folder)).map((file) => relative(folder, file)),
  };
}
