import { expect, it } from "@jest/globals";
import { mergeBackups, PostgresSaver } from "../../src/index.js";
import { collect } from "../../test-support/checkpoints.js";
import { memoryArchive } from "../../test-support/memory-archive.js";
import { describeEachTarget } from "../../test-support/targets.js";
import { putCheckpoint, useConversations } from "./opened.js";

describeEachTarget("the conversation of a thread", (target) => {
  const suite = useConversations(target);

  const make = async (threadId: string, metadata: Record<string, unknown>) => {
    await suite.threads.set(threadId, { kind: "put", metadata });
    await putCheckpoint(suite.saver, threadId);
    await suite.database.exec(`update checkpoint_conversations
      set created_at = '2026-01-01 01:02:03.456Z', updated_at = '2026-01-02 01:02:03.456Z'`);
    return suite.threads.get(threadId);
  };

  it("is copied with it, unless the copy has one already", async () => {
    const { threads, saver } = suite;
    await make("t", { title: "Rome" });
    await saver.copyThread("t", "copy");
    expect((await threads.get("copy")).metadata).toEqual({ title: "Rome" });
    await threads.set("own", { kind: "put", metadata: { title: "Mine" } });
    await saver.copyThread("t", "own");
    expect((await threads.get("own")).metadata).toEqual({ title: "Mine" });
  });

  it("comes back from a backup as it was, also that of a thread without checkpoints", async () => {
    const { threads, saver } = suite;
    const made = await make("t", { title: "Rome 😀", n: 1.5 });
    await threads.set("empty", { kind: "put", metadata: { title: "New" } });
    const lines = await collect(saver.exportThreads());
    await threads.delete("t");
    await threads.delete("empty");
    expect(await saver.importThreads(lines)).toMatchObject({ threads: 2, checkpoints: 1, damaged: [] });
    expect(await threads.get("t")).toEqual(made);
    expect((await threads.get("empty")).metadata).toEqual({ title: "New" });
    expect(await collect(saver.exportThreads())).toEqual(lines);
    // A change since then stays.
    await threads.set("t", { kind: "patch", metadata: { n: 2 } });
    await saver.importThreads(lines);
    expect((await threads.get("t")).metadata).toEqual({ title: "Rome 😀", n: 2 });
  });

  it("is in the next increment where only it has changed, and gone where the thread is", async () => {
    const { threads, saver } = suite;
    await make("t", { title: "Rome" });
    await make("gone", { title: "Gone" });
    await make("same", {});
    const full = await collect(saver.exportThreads());
    await threads.set("t", { kind: "patch", metadata: { title: "Naples" } });
    await threads.delete("gone");
    const next = await collect(saver.exportThreads({ since: [full] }));
    expect(
      next.filter((line) => line.includes('"thread":')).map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      expect.objectContaining({ thread: "t" }),
      { thread: "gone", checkpoints: 0, writes: 0, blobs: 0 },
    ]);
    const merged = await collect(mergeBackups([full, next]));
    for (const id of ["t", "same"]) await threads.delete(id);
    await saver.importThreads(merged);
    expect((await threads.get("t")).metadata).toEqual({ title: "Naples" });
    await expect(threads.get("gone")).rejects.toThrow("no record");
  });

  it("goes to the archive with it, and comes back with it", async () => {
    const { threads, saver } = suite;
    const made = await make("t", { title: "Rome" });
    const archive = memoryArchive();
    expect(await saver.archive({ to: archive, strategy: "delete", threads: ["t"] })).toMatchObject({
      threads: 1,
      changed: 0,
    });
    await expect(threads.get("t")).rejects.toThrow("no record");
    expect(await saver.restore({ from: archive })).toMatchObject({ threads: 1, checkpoints: 1 });
    expect(await threads.get("t")).toEqual(made);
  });

  it("keeps its thread out of the archive where it has changed since the file was written", async () => {
    const { threads, saver } = suite;
    await make("t", { title: "Rome" });
    const archive = memoryArchive();
    const to = {
      ...archive,
      read: async (...read: Parameters<typeof archive.read>) => {
        await threads.set("t", { kind: "patch", metadata: { title: "Naples" } });
        return archive.read(...read);
      },
    };
    expect(await saver.archive({ to, strategy: "delete", threads: ["t"] })).toMatchObject({
      threads: 0,
      changed: 1,
    });
    expect((await threads.get("t")).metadata).toEqual({ title: "Naples" });
    expect((await saver.listThreads()).map(({ threadId }) => threadId)).toEqual(["t"]);
  });

  it("goes with a thread that retention deletes, and stays with one that it prunes", async () => {
    const { threads, saver } = suite;
    await make("t", {});
    await make("kept", {});
    await saver.prune(["t"], { strategy: "delete" });
    await saver.prune(["kept"], { strategy: "keep_latest" });
    await expect(threads.get("t")).rejects.toThrow("no record");
    expect(await threads.get("kept")).toMatchObject({ thread_id: "kept" });
  });

  it("of a deleted thread is found by verify", async () => {
    const { threads, saver, database } = suite;
    await using keeping = new PostgresSaver(database.source, undefined, { keepTombstones: true });
    await putCheckpoint(saver, "t");
    await keeping.deleteThread("t");
    await threads.set("t", { kind: "put" });
    expect((await saver.verify()).problems).toMatchObject([{ kind: "living-tombstone", threadId: "t" }]);
    await saver.liftTombstones(["t"]);
  });
});
