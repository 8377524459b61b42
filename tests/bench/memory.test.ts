import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type BenchServer, connectBenchServer } from "../../bench/bench-server.js";
import { measureMemory } from "../../bench/memory/measure-memory.js";
import { document } from "../../bench/scenarios/sample-data.js";
import { OURS } from "../../bench/subjects.js";
import { withSaver } from "../../bench/with-saver.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";

describe("the memory of a task", () => {
  let server: BenchServer;

  beforeAll(async () => {
    server = await connectBenchServer(process.env.CHECKPOINT_TEST_SERVER ?? "", "tests");
  });

  afterAll(() => server.stop());

  it("is that of a process that did it whole; one that could not says why", async () => {
    const database = await server.emptyDatabase();
    const thread = "a large thread";
    await withSaver(OURS, database.source, async (saver) => {
      const first = await putValues(saver, threadConfig(thread), { document: document(8_000) });
      await putValues(saver, first.config, { document: document(8_000) }, first.checkpoint);
    });
    const task = { subject: "ours", url: database.source, thread, kind: "list" } as const;
    const figures = await measureMemory({ ...task, checkpoints: 2 });
    if (typeof figures === "string") throw new Error(figures);
    // Two values of 8 MB can't be read in less.
    expect(figures.peak - figures.idle).toBeGreaterThan(8);
    expect(await measureMemory({ ...task, checkpoints: 3 })).toBe("dies: Error: 2 checkpoints instead of 3");
    await database.giveBack();
  });
});
