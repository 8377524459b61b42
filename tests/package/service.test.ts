import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { describeServer } from "../../test-support/targets.js";
import { runNode } from "./consumer-project.js";
import { type InstalledPackage, installPackage } from "./installed-package.js";
import { ALL_SETTLED, SERVICE_PROGRAMS } from "./service-programs.js";

describeServer("a service on the published package", (server) => {
  let installed: InstalledPackage;
  beforeAll(async () => {
    installed = await installPackage();
  });
  afterAll(() => installed.project.remove());

  it.each(Object.entries(SERVICE_PROGRAMS))(
    "has each of its calls settled, whatever the others do (C16): %s",
    async (file, program) => {
      const { project } = installed;
      const { source } = await server.createDatabase();
      await project.write(file, program);
      const outcome = await runNode(project.folder, join(project.folder, file), source);
      expect(outcome).toEqual({ code: 0, output: ALL_SETTLED });
    },
  );
});
