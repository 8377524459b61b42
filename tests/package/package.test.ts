import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { runNode } from "./consumer-project.js";
import { NOTHING_MISSING, RUNTIME_PROGRAMS } from "./consumers.js";
import { type InstalledPackage, installPackage } from "./installed-package.js";

describe("the published package", () => {
  let installed: InstalledPackage;
  beforeAll(async () => {
    installed = await installPackage();
  });
  afterAll(() => installed.project.remove());

  it.each(Object.entries(RUNTIME_PROGRAMS))(
    "exports every public name and serves the page of the inspector, in plain Node without the optional peers: %s",
    async (file, program) => {
      const { project } = installed;
      await project.write(file, program);
      const outcome = await runNode(project.folder, join(project.folder, file));
      expect(outcome).toEqual({ code: 0, output: NOTHING_MISSING });
    },
  );

  // If a package has several commands, npx runs the one with the name of the package.
  it("has a command with its own name, which prints help", async () => {
    const { manifest, project } = installed;
    const path = manifest.bin[manifest.name] ?? "";
    const outcome = await runNode(project.folder, join(project.packageFolder, path), "--help");
    expect(outcome).toEqual({ code: 0, output: expect.stringContaining(`Usage: ${manifest.name}`) });
    expect(new Set(Object.values(manifest.bin))).toEqual(new Set([path]));
  });
});
