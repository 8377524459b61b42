import { expect, it } from "@jest/globals";
import { INTERRUPT } from "@langchain/langgraph-checkpoint";
import { PostgresSaver } from "../../src/index.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { memoryArchive } from "../../test-support/memory-archive.js";
import { describeAnyTarget } from "../../test-support/targets.js";

describeAnyTarget("a restore over what is there", (target) => {
  it("keeps special writes that were replaced since the first restore", async () => {
    const database = await target.sharedDatabase();
    await using saver = new PostgresSaver(database.source);
    const archive = memoryArchive();
    const { config } = await putValues(saver, threadConfig("t"), { a: 1 });
    await saver.putWrites(config, [[INTERRUPT, { value: "first?" }]], "task");
    await saver.archive({ strategy: "delete", threads: ["t"], to: archive });
    await saver.restore({ from: archive });
    await saver.putWrites(config, [[INTERRUPT, { value: "second?" }]], "task");
    expect(await saver.restore({ from: archive })).toMatchObject({ writes: 0, skipped: 2 });
    const tuple = await saver.getTuple(threadConfig("t"));
    expect(tuple?.pendingWrites).toEqual([["task", INTERRUPT, { value: "second?" }]]);
  });
});
