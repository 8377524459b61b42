import { expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import { collect, threadConfig } from "../../test-support/checkpoints.js";
import { InspectorCalls } from "../../test-support/inspector-calls.js";
import { memoryArchive } from "../../test-support/memory-archive.js";
import { describeAnyTarget } from "../../test-support/targets.js";
import { rowsOf } from "../../test-support/thread-rows.js";
import { refilledDatabase } from "../cli/filled-database.js";

describeAnyTarget("a thread whose id is empty, as official savers store it", (target) => {
  const filled = refilledDatabase(target);

  it("is listed, shown, measured, copied, archived, restored, backed up and deleted, and never written", async () => {
    const { database, ids, run, json } = filled;
    for (const table of ["checkpoints", "checkpoint_blobs", "checkpoint_writes"])
      await database.query(`update ${table} set thread_id = '' where thread_id = '42'`);
    await using saver = new PostgresSaver(database.source);
    expect((await saver.listThreads()).map(({ threadId }) => threadId)).toContain("");
    expect((await saver.history("")).head).toBe(ids[3]);
    expect((await run("show", "")).code).toBe(0);
    expect((await saver.storage({ threadId: "" })).total).toMatchObject({ checkpoints: 5, threads: 1 });
    expect((await saver.taskStats("")).length).toBeGreaterThan(0);
    const calls = new InspectorCalls(saver);
    expect((await calls.read("thread", { threadId: "" })).namespaces).toHaveLength(2);
    const backup = await collect(saver.exportThreads({ threads: [""] }));
    await saver.copyThread("", "named");
    expect((await saver.getTuple(threadConfig("named")))?.checkpoint.id).toBe(ids[3]);
    const archive = memoryArchive();
    const moved = { strategy: "delete", threads: [""], to: archive } as const;
    expect(await saver.archive(moved)).toMatchObject({ threads: 1, checkpoints: 5, missing: [] });
    expect(await saver.restore({ from: archive, threads: [""] })).toMatchObject({ checkpoints: 5 });
    await saver.deleteThread("");
    expect(await rowsOf(database, "")).toMatchObject({ checkpoints: 0, blobs: 0, writes: 0 });
    expect(await saver.importThreads(backup)).toMatchObject({ threads: 1, checkpoints: 5 });
    expect(await json("delete", "", "--yes")).toMatchObject({ checkpoints: 5 });
    const refused = { code: "INVALID_CONFIG", field: "config.configurable.thread_id" };
    await expect(saver.getTuple(threadConfig(""))).rejects.toMatchObject(refused);
  });
});
