import { expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import { collect, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { describeServer } from "../../test-support/targets.js";
import { until } from "../../test-support/until.js";

const THREADS = ["a", "b", "c"];
const BACKUPS = 8;

describeServer("a backup with concurrent writers", (server) => {
  it("has every checkpoint with its values, while others write, prune and delete threads (C1, C8)", async () => {
    const [source, copy] = [await server.migratedDatabase(), await server.migratedDatabase()];
    const writer = new PostgresSaver(source.source);
    const to = new PostgresSaver(copy.source);
    for (const thread of THREADS)
      await putValues(writer, threadConfig(thread), { list: ["first"], step: [0] });
    let hasEnded = false;
    const isRunning = () => !hasEnded;
    let writes = 0;
    let prunes = 0;
    const writing = THREADS.map(async (thread) => {
      let last = await putValues(writer, threadConfig(thread), { list: ["first"], step: [0] });
      while (isRunning()) {
        last = await putValues(writer, last.config, { list: [thread, last.checkpoint.id] }, last.checkpoint);
        await writer.putWrites(last.config, [["list", [last.checkpoint.id]]], "task");
        writes += 1;
      }
    });
    const pruning = (async () => {
      while (isRunning()) {
        await writer.prune(THREADS);
        prunes += 1;
      }
    })();
    const deleting = (async () => {
      while (isRunning()) {
        const prunesBefore = prunes;
        await putValues(writer, threadConfig("short-lived"), { list: ["short"] });
        await writer.deleteThread("short-lived");
        // An export gives up on a thread that is deleted during each of its ten reads.
        await until(() => prunes > prunesBefore || !isRunning());
      }
    })();
    try {
      for (let backup = 0; backup < BACKUPS; backup++) {
        const [writesBefore, prunesBefore] = [writes, prunes];
        const lines = await collect(writer.exportThreads());
        await to.importThreads(lines);
        const tuples = await collect(to.list({}));
        const threads = new Set(tuples.map(({ config }) => String(config.configurable?.thread_id)));
        expect([...threads]).toEqual(expect.arrayContaining(THREADS));
        for (const { checkpoint } of tuples) {
          expect(Object.keys(checkpoint.channel_values).sort()).toEqual(
            Object.keys(checkpoint.channel_versions).sort(),
          );
        }
        for (const { threadId } of await to.listThreads()) await to.deleteThread(threadId);
        await copy.exec("truncate checkpoint_blobs, checkpoint_writes");
        await until(() => writes > writesBefore && prunes > prunesBefore);
      }
    } finally {
      hasEnded = true;
      await Promise.all([...writing, pruning, deleting]);
    }
    expect(writes).toBeGreaterThan(BACKUPS);
    await writer.end();
    await to.end();
  });
});
