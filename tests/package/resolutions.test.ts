import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { ROOT, runNode } from "./consumer-project.js";
import { type InstalledPackage, installPackage, tool } from "./installed-package.js";
import { NO_MISTAKES, typeCheckConsumers } from "./type-check.js";

const TYPE_CHECK_TIMEOUT_MS = 240_000;

// The declarations themselves are checked by declarations.test.ts, with the resolution of Node.js 16.
describe("the declarations of the published package", () => {
  let installed: InstalledPackage;
  beforeAll(async () => {
    installed = await installPackage();
  });
  afterAll(() => installed.project.remove());

  it.each([
    ["a later Node.js", { module: "nodenext", moduleResolution: "nodenext" }],
    ["a bundler", { module: "preserve", moduleResolution: "bundler" }],
  ])(
    "are found by %s",
    async (_name, resolution) => {
      const check = await typeCheckConsumers(installed.project, { ...resolution, skipLibCheck: true });
      expect(check).toEqual(NO_MISTAKES);
    },
    TYPE_CHECK_TIMEOUT_MS,
  );

  it(
    "are found at every entry by the resolution of Node.js 10, which knows no exports",
    async () => {
      const { project, manifest } = installed;
      const entries = Object.keys(manifest.exports).filter((entry) => !entry.endsWith(".json"));
      const names = entries.map((entry) => JSON.stringify(join("langgraph-checkpoint-kysely", entry)));
      // The type of a module that is not found would be any, to which every number can be assigned.
      const lines = names.map(
        (name, index) => `import * as m${index} from ${name};\nexport const e${index}: never = m${index};`,
      );
      await project.write("old.ts", lines.join("\n"));
      const options = [
        "--module",
        "commonjs",
        "--moduleResolution",
        "node10",
        "--ignoreConfig",
        "--ignoreDeprecations",
        "6.0",
      ];
      const { output } = await runNode(
        project.folder,
        tool("typescript/bin/tsc"),
        ...[
          "--noEmit",
          "--strict",
          "--skipLibCheck",
          "--target",
          "es2022",
          "--types",
          "node",
          "--pretty",
          "false",
        ],
        ...[...options, "old.ts"],
      );
      const errors = output.split("\n").flatMap((line) => /^old.*error (TS\d+)/.exec(line)?.[1] ?? []);
      expect(errors).toEqual(entries.map(() => "TS2322"));
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
