import { beforeAll, expect, it } from "@jest/globals";
import { AIMessage } from "@langchain/core/messages";
import { TASKS } from "@langchain/langgraph-checkpoint";
import { CheckpointNotFoundError } from "../../src/index.js";
import { metadataOf, newThread, nextId, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { type AuditedDatabase, describeEachLayout } from "./layouts.js";

describeEachLayout("diff", (open) => {
  let audited: AuditedDatabase;

  beforeAll(async () => {
    audited = await open();
  });

  it("returns each channel with its versions and values", async () => {
    const { saver } = audited;
    const config = threadConfig(newThread());
    const message = () => new AIMessage({ content: "hi", id: "1" });
    const first = await putValues(saver, config, { draft: 1, kept: ["a"], log: ["a"], said: message() });
    const { draft, kept, ...versions } = first.checkpoint.channel_versions;
    const versionOf = (channel: string) => saver.getNextVersion(versions[channel]);
    const next = {
      ...first.checkpoint,
      id: nextId(),
      channel_values: { kept: ["a"], log: ["a", "b"], said: message(), title: "new" },
      channel_versions: {
        kept: kept ?? 0,
        log: versionOf("log"),
        said: versionOf("said"),
        title: versionOf("title"),
      },
    };
    const { log, said, title } = next.channel_versions;
    const second = await saver.put(first.config, next, metadataOf(1), { log, said, title });

    const { before, after, channels } = await saver.diff(first.config, second);
    expect([before, after]).toEqual([first.config, second]);
    expect(channels).toEqual([
      { channel: "draft", change: "removed", beforeVersion: draft, before: 1 },
      { channel: "kept", change: "same", beforeVersion: kept, afterVersion: kept },
      {
        channel: "log",
        change: "changed",
        beforeVersion: versions.log,
        afterVersion: log,
        before: ["a"],
        after: ["a", "b"],
      },
      // Written again with the same value.
      { channel: "said", change: "same", beforeVersion: versions.said, afterVersion: said },
      { channel: "title", change: "added", afterVersion: title, after: "new" },
    ]);
  });

  it("does not read shared values", async () => {
    const { saver, database } = audited;
    const thread = newThread();
    const first = await putValues(saver, threadConfig(thread), { broken: ["a"] });
    const second = await putValues(saver, first.config, { log: ["b"] }, first.checkpoint);
    await database.query(
      "update checkpoint_blobs set type = 'yaml' where thread_id = $1 and channel = 'broken'",
      [thread],
    );
    const { channels } = await saver.diff(first.config, second.config);
    expect(channels.map(({ channel, change }) => [channel, change])).toEqual([
      ["broken", "same"],
      ["log", "added"],
    ]);
  });

  it("compares values between threads, also for equal versions", async () => {
    const { saver } = audited;
    const [a, b] = [newThread(), newThread()];
    const one = await putValues(saver, threadConfig(a), { log: ["a"], same: ["x"] });
    const other = { ...one.checkpoint, channel_values: { log: ["b"], same: ["x"] } };
    await saver.put(threadConfig(b), other, metadataOf(), one.checkpoint.channel_versions);
    const { channels } = await saver.diff(threadConfig(a), threadConfig(b));
    expect(channels).toMatchObject([
      { channel: "log", change: "changed", before: ["a"], after: ["b"] },
      { channel: "same", change: "same" },
    ]);
  });

  it("compares the newest checkpoint when no id is given", async () => {
    const { saver } = audited;
    const thread = newThread();
    const first = await putValues(saver, threadConfig(thread), { log: ["a"] });
    const second = await putValues(saver, first.config, { log: ["b"] }, first.checkpoint);
    const { after, channels } = await saver.diff(first.config, threadConfig(thread));
    expect(after).toEqual(second.config);
    expect(channels).toMatchObject([{ change: "changed", before: ["a"], after: ["b"] }]);
  });

  it("compares the sends of checkpoints before format 4", async () => {
    const { saver } = audited;
    const first = await putValues(saver, threadConfig(newThread()), { log: ["a"] });
    await saver.putWrites(first.config, [[TASKS, ["sent"]]], "task");
    const old = { ...first.checkpoint, v: 3, id: nextId() };
    const second = await saver.put(first.config, old, metadataOf(1), {});
    const { channels } = await saver.diff(first.config, second);
    expect(channels).toMatchObject([
      { channel: TASKS, change: "added", after: [["sent"]] },
      { channel: "log", change: "same" },
    ]);
  });

  it("reports a delta channel as unstored", async () => {
    const { saver } = audited;
    const counted = metadataOf(1, { counters_since_delta_snapshot: { log: [1, 1] } });
    const seed = await putValues(saver, threadConfig(newThread()), { log: ["a"] });
    const next = async (
      parent: typeof seed.config,
      previous: string | number | undefined,
      metadata = counted,
    ) => {
      const log = saver.getNextVersion(previous);
      const checkpoint = { ...seed.checkpoint, id: nextId(), channel_values: {}, channel_versions: { log } };
      return { config: await saver.put(parent, checkpoint, metadata, { log }), log };
    };
    const { log: first } = seed.checkpoint.channel_versions;
    const second = await next(seed.config, first);
    const third = await next(second.config, second.log);
    // A state update counts no changes of delta channels.
    const update = await next(third.config, third.log, { ...metadataOf(2), source: "update" });
    const diff = async (a: typeof seed.config, b: typeof seed.config) => (await saver.diff(a, b)).channels;
    const unstored = { channel: "log", change: "unstored" };
    expect(await diff(seed.config, second.config)).toEqual([
      { ...unstored, beforeVersion: first, afterVersion: second.log, before: ["a"] },
    ]);
    expect(await diff(second.config, third.config)).toEqual([
      { ...unstored, beforeVersion: second.log, afterVersion: third.log },
    ]);
    expect(await diff(third.config, update.config)).toEqual([
      { ...unstored, beforeVersion: third.log, afterVersion: update.log },
    ]);
  });

  it("fails when a checkpoint is not stored", async () => {
    const { saver } = audited;
    const { config } = await putValues(saver, threadConfig(newThread()), { log: ["a"] });
    const missing = threadConfig(newThread(), { checkpoint_id: "none" });
    for (const pair of [
      [config, missing],
      [missing, config],
      [config, threadConfig("none")],
    ] as const) {
      // oxfmt-ignore
      await expect(saver.diff(...pair)).rejects.toThrow(CheckpointNotFoundError);
    }
  });
});
