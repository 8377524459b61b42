import { expect, it } from "@jest/globals";
import { Annotation, START, StateGraph } from "@langchain/langgraph";
import { PostgresSaver } from "../../src/index.js";
import { collect, metadataOf, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { describeServer } from "../../test-support/targets.js";
import { missingBlobs, orphanedBlobs } from "./stored-rows.js";

const State = Annotation.Root({
  log: Annotation<string[]>({ reducer: (current, added) => [...current, ...added], default: () => [] }),
  constant: Annotation<object>(),
});

function graphOn(saver: PostgresSaver) {
  return new StateGraph(State)
    .addNode("first", () => ({ log: ["first"] }))
    .addNode("second", () => ({ log: ["second"] }))
    .addEdge(START, "first")
    .addEdge("first", "second")
    .compile({ checkpointer: saver });
}

describeServer("prune during the calls of other savers", (target) => {
  it("makes no call fail, and leaves every checkpoint readable (C7, C8)", async () => {
    const database = await target.migratedDatabase();
    const saver = new PostgresSaver(database.source, undefined, { retry: false });
    const pruner = new PostgresSaver(database.source);
    const threads = ["a", "b"];
    const writing = { is: true };
    const prune = async (): Promise<number> => {
      let deleted = 0;
      while (writing.is) {
        deleted += (await pruner.prune({ keepLast: 2, threads, batchSize: 2 })).checkpoints;
        deleted += (await pruner.deleteForRuns(["odd"])).checkpoints;
      }
      return deleted;
    };
    const run = async (thread: string): Promise<void> => {
      const graph = graphOn(saver);
      for (let n = 0; n < 8; n++) {
        const metadata = { run_id: n % 2 === 1 ? "odd" : "even" };
        await graph.invoke(
          { log: [`run ${n}`], constant: { of: thread } },
          { ...threadConfig(thread), metadata },
        );
      }
    };
    // Continues from checkpoints that may be deleted by then, and carries over a value that only they reference.
    const fork = async (thread: string): Promise<void> => {
      for (let n = 0; n < 30; n++) {
        const base = await putValues(saver, threadConfig(thread), { list: [n], other: [n] });
        let parent = base;
        for (let step = 0; step < 3; step++)
          parent = await putValues(saver, parent.config, { list: [n, step] }, parent.checkpoint);
        const { checkpoint } = await putValues(saver, threadConfig(thread), { list: [] });
        const forked = {
          ...base.checkpoint,
          id: checkpoint.id.replace(/.$/, (last) => (last === "f" ? "e" : "f")),
        };
        const config = await saver.put(base.config, forked, metadataOf(), {});
        const tuple = await saver.getTuple(config);
        if (tuple !== undefined) expect(tuple.checkpoint.channel_values).toEqual({ list: [n], other: [n] });
      }
    };

    const pruning = prune();
    try {
      await Promise.all([...threads.map(run), ...threads.map(fork)]);
    } finally {
      writing.is = false;
    }

    expect(await pruning).toBeGreaterThan(50);
    expect(await missingBlobs(database)).toEqual([]);
    expect((await collect(saver.list({}))).length).toBeGreaterThan(0);
    await pruner.prune(threads);
    expect(await orphanedBlobs(database)).toEqual([]);
    await saver.end();
    await pruner.end();
  }, 120_000);
});
