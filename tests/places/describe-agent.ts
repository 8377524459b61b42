import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { describeServer } from "../../test-support/targets.js";
import { type InstalledPackage, installPackage } from "../package/installed-package.js";
import { AGENT_RESULT } from "./agent-result.js";
import type { Trial } from "./place.js";
import { PlaceProject } from "./project/place-project.js";

/** Runs trials of places in the gate, without the network: what is installed beside the package is linked from the checkout. */
export function describeAgent(
  name: string,
  installs: readonly string[],
  trials: Readonly<Record<string, Trial>>,
): void {
  describeServer(`an agent on the published package, ${name}`, (server) => {
    let installed: InstalledPackage;
    let project: PlaceProject;
    beforeAll(async () => {
      installed = await installPackage(["@langchain/langgraph", ...installs]);
      project = await PlaceProject.create(installed.project.folder, process.execPath);
      await project.write({ "package.json": JSON.stringify({ name: "application" }) });
    });
    afterAll(() => installed.project.remove());

    it.each(Object.entries(trials))("is interrupted, resumed, forked and deleted: %s", async (_name, run) => {
      const { source } = await server.createDatabase();
      project.databaseUrl = source;
      expect(await run(project)).toContain(AGENT_RESULT);
    });
  });
}
