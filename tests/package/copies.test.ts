import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { z } from "zod";
import { describeServer } from "../../test-support/targets.js";
import { ConsumerProject, pack, ROOT, runNode, UNOPTIMIZED_PGLITE } from "./consumer-project.js";
import { GRAPH_PROGRAMS } from "./graph-programs.js";
import { TWO_COPIES_PROGRAM } from "./two-copies-program.js";

const names = z.record(z.string(), z.string());
const Manifest = z.object({ dependencies: names, peerDependencies: names });

const Runs = z.array(z.object({ items: z.array(z.string()), isSend: z.boolean() }));
const Savers = z.object({ memory: Runs, MessagePack: Runs, JSON: Runs });

const ITEMS = [
  "ask and hear yes",
  "plan of the state",
  "task of a Command",
  "task of a Command",
  "end of the state",
  "task of 3",
  "task of 4",
  "end of the state",
];

describeServer("an application with several copies of a package", (server) => {
  let project: ConsumerProject;

  beforeAll(async () => {
    const manifest = Manifest.parse(JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")));
    project = await ConsumerProject.create(await pack(), [
      ...Object.keys(manifest.dependencies),
      ...Object.keys(manifest.peerDependencies),
      "langgraph-oldest",
    ]);
  });

  afterAll(() => project.remove());

  it.each(Object.entries(GRAPH_PROGRAMS))(
    "runs all stored tasks, with the copy of LangGraph that the package loads and with another one: %s",
    async (file, program) => {
      const { source } = await server.createDatabase();
      await project.write(file, program);
      const { output } = await runNode(project.folder, join(project.folder, file), source);
      const engines = output
        .trimEnd()
        .split("\n")
        .map((line) => Savers.parse(JSON.parse(line)));

      const items = engines.map((savers) =>
        Object.values(savers).map((runs) => runs.map((run) => run.items)),
      );
      expect(items).toEqual(Array(2).fill(Array(3).fill([ITEMS, ITEMS])));
      // Values of the state are instances of the application's own class, too.
      const [own] = engines;
      expect([...(own?.MessagePack ?? []), ...(own?.JSON ?? [])].map(({ isSend }) => isSend)).toEqual(
        Array(4).fill(true),
      );
    },
  );

  it("uses number versions with a JsonSerializer of another copy, and shares thread locks with it", async () => {
    await project.write("both.mjs", TWO_COPIES_PROGRAM);
    const both = join(project.folder, "both.mjs");
    const { output } = await runNode(project.folder, UNOPTIMIZED_PGLITE, both);

    expect(JSON.parse(output)).toEqual({ areTwo: true, versionType: "number", secondLock: "THREAD_LOCKED" });
  });
});
