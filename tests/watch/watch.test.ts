import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { PostgresSaver, type PostgresSaverOptions } from "../../src/index.js";
import {
  allVersions,
  checkpointOf,
  metadataOf,
  newThread,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { describeEachTarget, type TestDatabase } from "../../test-support/targets.js";
import { beginWatch, nextYieldedId, type Watch } from "../../test-support/watches.js";

describeEachTarget("watch", (target) => {
  let database: TestDatabase;
  let savers: PostgresSaver[];
  let saver: PostgresSaver;
  let thread: string;

  beforeEach(async () => {
    database = await target.sharedDatabase();
    savers = [];
    saver = openSaver();
    thread = newThread();
  });
  afterEach(async () => {
    await Promise.all(savers.map((opened) => opened.end()));
  });

  function openSaver(options: PostgresSaverOptions = {}): PostgresSaver {
    const opened = new PostgresSaver(database.source, undefined, { notify: true, ...options });
    savers.push(opened);
    return opened;
  }

  /** Returns the ids of the next checkpoints that a watch yields. */
  async function next(watch: Watch, count: number): Promise<(string | undefined)[]> {
    const ids: (string | undefined)[] = [];
    while (ids.length < count) {
      const { done, value } = await watch.next();
      if (done === true) return ids;
      ids.push(value.checkpoint.id);
    }
    return ids;
  }

  it("yields whole checkpoints that are stored from then on, in order, and no earlier ones", async () => {
    const { config } = await putValues(saver, threadConfig(thread), { a: [0] });
    const watch = saver.watch(thread);
    const first = watch.next();
    const second = await putValues(saver, config, { a: [1] });
    const third = await putValues(saver, second.config, { a: [2] });
    expect((await first).value).toEqual(await saver.getTuple(second.config));
    expect((await watch.next()).value).toEqual(await saver.getTuple(third.config));
    await watch.return(undefined);
  });

  it("misses no checkpoint stored after the first call of next(), even if it was made before", async () => {
    for (let round = 0; round < 10; round++) {
      const own = newThread();
      const checkpoint = checkpointOf(saver, { a: round });
      const watch = saver.watch(own);
      const first = watch.next();
      const config = await saver.put(threadConfig(own), checkpoint, metadataOf(), allVersions(checkpoint));
      const last = await putValues(saver, config, { a: -round });
      expect((await first).value?.checkpoint.id).toBe(checkpoint.id);
      expect(await next(watch, 1)).toEqual([last.checkpoint.id]);
      await watch.return(undefined);
    }
  });

  it("gets checkpoints of batches and optimistic savers, each once however often it is stored", async () => {
    const strict = openSaver({ concurrency: "optimistic", keepTombstones: true });
    const watch = saver.watch(thread);
    const pending = next(watch, 4);
    const one = checkpointOf(saver, { a: 1 });
    const [two, three] = [checkpointOf(saver, { a: 2 }), checkpointOf(saver, { a: 3 })];
    const config = await strict.put(threadConfig(thread), one, metadataOf(), allVersions(one));
    await strict.put(threadConfig(thread), one, metadataOf(1), allVersions(one));
    await saver.batch(async (batch) => {
      const middle = await batch.put(config, two, metadataOf(), allVersions(two));
      await batch.put(middle, three, metadataOf(), allVersions(three));
      await batch.putWrites(middle, [["a", 1]], "task");
    });
    const last = await putValues(saver, config, { a: 4 });
    expect(await pending).toEqual([one.id, two.id, three.id, last.checkpoint.id]);
    await watch.return(undefined);
  });

  it("yields checkpoints of one thread, one schema, and with checkpointNs one namespace", async () => {
    const elsewhere = openSaver({ schema: "elsewhere" });
    await elsewhere.setup();
    const all = saver.watch(thread);
    const root = saver.watch(thread, { checkpointNs: "" });
    const other = elsewhere.watch(thread);
    const ids = [next(all, 2), next(root, 1), next(other, 1)];
    const inOther = await putValues(elsewhere, threadConfig(thread), { a: 1 });
    await putValues(saver, threadConfig(newThread()), { a: 1 });
    const inSubgraph = await putValues(saver, threadConfig(thread, { checkpoint_ns: "1:2|🎈:3" }), { a: 1 });
    const inRoot = await putValues(saver, threadConfig(thread), { a: 1 });
    expect(await Promise.all(ids)).toEqual([
      [inSubgraph.checkpoint.id, inRoot.checkpoint.id],
      [inRoot.checkpoint.id],
      [inOther.checkpoint.id],
    ]);
    for (const watch of [all, root, other]) await watch.return(undefined);
  });

  it("with after, yields the stored checkpoints first, then new ones, each once", async () => {
    const silent = openSaver({ notify: false });
    const first = await putValues(silent, threadConfig(thread), { a: 1 });
    const second = await putValues(silent, first.config, { a: 2 });
    const inSubgraph = await putValues(silent, threadConfig(thread, { checkpoint_ns: "1:2" }), { a: 1 });
    const third = await putValues(silent, second.config, { a: 3 });
    const all = saver.watch(thread, { after: first.checkpoint.id });
    const root = saver.watch(thread, { after: first.checkpoint.id, checkpointNs: "" });
    const beginning = saver.watch(thread, { after: "" });
    const ids = Promise.all([next(all, 4), next(root, 3), next(beginning, 5)]);
    const last = await putValues(saver, third.config, { a: 4 });
    const [a, b, c, d, e] = [first, second, inSubgraph, third, last].map(({ checkpoint }) => checkpoint.id);
    expect(await ids).toEqual([
      [b, c, d, e],
      [b, d, e],
      [a, b, c, d, e],
    ]);
    const pending = Promise.all([next(all, 1), next(root, 1), next(beginning, 1)]);
    const after = await putValues(saver, last.config, { a: 5 });
    expect(await pending).toEqual([[after.checkpoint.id], [after.checkpoint.id], [after.checkpoint.id]]);
    for (const watch of [all, root, beginning]) await watch.return(undefined);
  });

  it("with an unknown id as after, yields what this process stores in the meantime in order", async () => {
    const stored = await putValues(saver, threadConfig(thread), { a: 1 });
    const watch = saver.watch(thread, { after: "0" });
    const pending = next(watch, 3);
    const second = await putValues(saver, stored.config, { a: 2 });
    const third = await putValues(saver, second.config, { a: 3 });
    expect(await pending).toEqual([stored, second, third].map(({ checkpoint }) => checkpoint.id));
    await watch.return(undefined);
  });

  it("gets notifications for keys of any length", async () => {
    const longest = "ü".repeat(1_000);
    const watch = saver.watch(longest);
    const pending = next(watch, 1);
    const checkpoint = { ...checkpointOf(saver, { a: 1 }), id: `${"é".repeat(999)}12` };
    const config = threadConfig(longest, { checkpoint_ns: "\n".repeat(2_000) });
    // Together, random keys of this length would be too long for an index row. Postgres compresses repeated text.
    await saver.put(config, checkpoint, metadataOf(), allVersions(checkpoint));
    expect(await pending).toEqual([checkpoint.id]);
    await watch.return(undefined);
  });

  it("yields only what can still be read of a thread that is deleted in the meantime", async () => {
    const watch = saver.watch(thread);
    const pending = watch.next();
    const { config } = await putValues(saver, threadConfig(thread), { a: 1 });
    await pending;
    await putValues(saver, config, { a: 2 });
    await saver.deleteThread(thread);
    const again = await putValues(saver, threadConfig(thread), { a: 3 });
    expect(await next(watch, 1)).toEqual([again.checkpoint.id]);
    await watch.return(undefined);
  });

  it("misses checkpoints of savers without notifications, once it has searched the first gap", async () => {
    const silent = openSaver({ notify: false });
    const watch = await beginWatch(saver.watch(thread), database, thread);
    await putValues(silent, threadConfig(thread), { a: 1 });
    const last = await putValues(saver, threadConfig(thread), { a: 2 });
    expect(await nextYieldedId(watch)).toBe(last.checkpoint.id);
    await watch.return(undefined);
  });

  it("ends by break, by return() during a pending next(), by dispose, and by the end of its saver", async () => {
    const watching = openSaver();
    const watch = (): Watch => watching.watch(thread);
    const [left, returned, disposed, ended, begun] = [watch(), watch(), watch(), watch(), watch()];
    const waiting = [returned, disposed, ended].map((one) => one.next());
    const broken = (async () => {
      for await (const { checkpoint } of left) return checkpoint.id;
      return undefined;
    })();
    const { checkpoint, config } = await putValues(saver, threadConfig(thread), { a: 1 });
    expect(await broken).toBe(checkpoint.id);
    await Promise.all(waiting);
    const again = [returned, disposed, ended].map((one) => one.next());
    expect(await returned.return(undefined)).toEqual({ done: true, value: undefined });
    await disposed[Symbol.asyncDispose]();
    await watching.end();
    expect(await Promise.all(again)).toEqual(again.map(() => ({ done: true, value: undefined })));
    expect(await begun.return(undefined)).toEqual({ done: true, value: undefined });
    expect(await begun.next()).toEqual({ done: true, value: undefined });
    await putValues(saver, config, { a: 2 });
  });

  it("ends with an AbortError when its signal aborts", async () => {
    const caller = new AbortController();
    const watch = saver.watch(thread, { signal: caller.signal });
    const waiting = watch.next();
    caller.abort(new Error("gone"));
    await expect(waiting).rejects.toMatchObject({ code: "ABORTED", cause: { message: "gone" } });
    expect(await watch.next()).toEqual({ done: true, value: undefined });
    await expect(saver.watch(thread, { signal: caller.signal }).next()).rejects.toMatchObject({
      code: "ABORTED",
    });
  });

  it("supports any number of watchers, each of which yields every checkpoint", async () => {
    const watches = Array.from({ length: 20 }, () => saver.watch(thread));
    const pending = watches.map((watch) => next(watch, 2));
    const { config, checkpoint } = await putValues(saver, threadConfig(thread), { a: 1 });
    const last = await putValues(saver, config, { a: 2 });
    for (const ids of await Promise.all(pending)) expect(ids).toEqual([checkpoint.id, last.checkpoint.id]);
    await Promise.all(watches.map((watch) => watch.return(undefined)));
  });
});
