import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { Annotation, START, StateGraph } from "@langchain/langgraph";
import { z } from "zod";
import { PostgresSaver } from "../../src/index.js";
import { threadConfig } from "../../test-support/checkpoints.js";
import { describeServer } from "../../test-support/targets.js";
import { CLOCK_PROGRAM } from "./clock-program.js";
import { ConsumerProject, pack, ROOT } from "./consumer-project.js";
import { hasFaketime, startOnShiftedClock } from "./program-on-shifted-clock.js";

const Names = z.record(z.string(), z.string());
const Manifest = z.object({ dependencies: Names, peerDependencies: Names });

const THREADS = ["full", "keepLast", "shallow"];

if (await hasFaketime())
  describeServer("the published package on a machine whose clock is behind (C17)", suite);
else if (process.env.CI === "true") throw new Error("faketime is not installed: apt-get install faketime");
else
  describe.skip("the published package on a machine whose clock is behind, with faketime", () => undefined);

function suite(server: Parameters<Parameters<typeof describeServer>[1]>[0]): void {
  let project: ConsumerProject;
  beforeAll(async () => {
    const manifest = Manifest.parse(JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")));
    project = await ConsumerProject.create(await pack(), [
      ...Object.keys(manifest.dependencies),
      ...Object.keys(manifest.peerDependencies),
    ]);
    await project.write("clock.mjs", CLOCK_PROGRAM);
  });
  afterAll(() => project.remove());

  it.each([
    { behindSeconds: 3, answer: 2, stored: 2, what: "loses no turn within the bound" },
    { behindSeconds: 60, answer: "CLOCK_BEHIND", stored: 1, what: "refuses a turn beyond the bound" },
  ])("$what: $behindSeconds s", async ({ behindSeconds, answer, stored }) => {
    const { source } = await server.migratedDatabase();
    const { folder } = project;
    const behind = await startOnShiftedClock(folder, behindSeconds, [join(folder, "clock.mjs"), source]);
    const saver = new PostgresSaver(source);
    const n = Annotation<number>({ reducer: (sum, added) => sum + added, default: () => 0 });
    const graph = new StateGraph(Annotation.Root({ n }))
      .addNode("turn", () => ({ n: 1 }))
      .addEdge(START, "turn")
      .compile({ checkpointer: saver });
    try {
      for (const thread of THREADS) await graph.invoke({ n: 0 }, threadConfig(thread));
      const answers: unknown = JSON.parse(await behind.goOn());
      expect(answers).toEqual(Object.fromEntries(THREADS.map((thread) => [thread, answer])));
      const states = await Promise.all(THREADS.map((thread) => graph.getState(threadConfig(thread))));
      expect(states.map(({ values }) => values as unknown)).toEqual(THREADS.map(() => ({ n: stored })));
    } finally {
      await behind.end();
      await saver.end();
    }
  });
}
