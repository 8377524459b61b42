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

  it("costs the threads that differ, in all of their files, and restores the others", async () => {
    const database = await target.sharedDatabase();
    await using saver = new PostgresSaver(database.source);
    const archive = memoryArchive();
    for (const thread of ["a", "b"]) {
      const { config } = await putValues(saver, threadConfig(thread), { list: [1] });
      await putValues(saver, config, { list: [2] });
    }
    await saver.archive({ keepLast: 1, to: archive });
    await saver.archive({ strategy: "delete", threads: ["a", "b"], to: archive });
    await saver.restore({ from: archive, threads: ["a"] });
    await database.exec(`delete from checkpoints where parent_checkpoint_id is null;
      update checkpoints set type = 'json'`);
    const report = await saver.restore({ from: archive });
    expect(report).toMatchObject({ threads: 1, files: 4, checkpoints: 2, blobs: 2, skipped: 0 });
    expect(report.damaged).toMatchObject([{ threadId: "a", checkpointId: expect.any(String) }]);
    await expect(saver.restore({ from: archive, strict: true })).rejects.toMatchObject({ threadId: "a" });
  });

  it("leaves the threads of a damaged file, of which other files have older checkpoints", async () => {
    const database = await target.sharedDatabase();
    await using saver = new PostgresSaver(database.source);
    const archive = memoryArchive();
    for (const thread of ["a", "b"]) {
      const { config } = await putValues(saver, threadConfig(thread), { list: [1] });
      await putValues(saver, config, { list: [2] });
    }
    await saver.archive({ keepLast: 1, to: archive });
    await saver.archive({ strategy: "delete", threads: ["a"], to: archive });
    const [newest = ""] = [...archive.files.keys()].filter((name) => /^a~[^.]*\.nd/.test(name));
    archive.files.set(newest, Buffer.from("damaged"));
    const left = { threadId: "a", reason: expect.stringContaining(newest) };
    expect(await saver.restore({ from: archive })).toMatchObject({
      ...{ threads: 1, checkpoints: 1, missing: [], damagedFiles: [{ file: newest }], damaged: [left] },
    });
    expect(await database.query("select distinct thread_id from checkpoints")).toEqual([{ thread_id: "b" }]);
  });
});
