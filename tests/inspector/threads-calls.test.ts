import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { uuid6 } from "@langchain/langgraph-checkpoint";
import pg from "pg";
import { PostgresSaver } from "../../src/index.js";
import type { ReadCalls } from "../../src/inspector/api/inspector-api.js";
import { checkpointOf, metadataOf, nextId, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { InspectorCalls } from "../../test-support/inspector-calls.js";
import { describeEachTarget, describeServer, type TestDatabase } from "../../test-support/targets.js";
import { countWaiting, untilOneWaits } from "../../test-support/held-locks.js";
import { until } from "../../test-support/until.js";

type ThreadsQuery = ReadCalls["threads"]["args"];

describeEachTarget("the inspector's calls about threads", (target) => {
  let database: TestDatabase;
  let saver: PostgresSaver;
  let calls: InspectorCalls;
  beforeEach(async () => {
    database = await target.sharedDatabase();
    saver = new PostgresSaver(database.source, undefined, { keepTombstones: true });
    calls = new InspectorCalls(saver);
  });
  afterEach(() => saver.end());

  /** All pages of a list, one thread each. */
  async function idsOf(query: ThreadsQuery): Promise<string[]> {
    const ids: string[] = [];
    let after: string | undefined;
    do {
      const { threads, next } = await calls.read("threads", { ...query, after, limit: 1 });
      ids.push(...threads.map(({ threadId }) => threadId));
      after = next;
    } while (after !== undefined);
    return ids;
  }

  it("lists threads by id and by last activity, page by page, with what they wait for", async () => {
    const old = await putValues(saver, threadConfig("b"), { title: "1" });
    await putValues(saver, threadConfig("c"), { title: "1" });
    await saver.put(
      threadConfig("a"),
      { ...checkpointOf(saver, {}), id: "no time", ts: "2020-01-01T00:00:00Z" },
      metadataOf(),
      {},
    );
    const inner = threadConfig("b", { checkpoint_ns: "sub:1" });
    const latest = await putValues(saver, inner, { title: "2" });
    await saver.putWrites(latest.config, [["__interrupt__", "go on?"]], "task");

    expect(await idsOf({})).toEqual(["a", "b", "c"]);
    expect(await idsOf({ order: "recent" })).toEqual(["b", "c", "a"]);
    for (const order of ["id", "recent"] as const) {
      const { threads } = await calls.read("threads", { order });
      expect(threads.find(({ threadId }) => threadId === "b")).toEqual({
        ...{
          threadId: "b",
          namespace: "sub:1",
          checkpointId: latest.checkpoint.id,
          checkpoints: 2,
          namespaces: 2,
        },
        ...{ updatedAt: expect.any(Number), status: "interrupted", next: [] },
        metadata: expect.objectContaining({ step: 0, source: "loop" }),
        open: { taskId: "task", kind: "question", text: "go on?", isCut: false },
      });
      expect(threads.find(({ threadId }) => threadId === "a")?.updatedAt).toBe(Date.UTC(2020, 0));
    }
    const { namespaces } = await calls.read("thread", { threadId: "b" });
    expect(namespaces).toMatchObject([
      { namespace: "", checkpoints: 1, checkpointId: old.checkpoint.id, status: "done" },
      { namespace: "sub:1", checkpoints: 1, checkpointId: latest.checkpoint.id, status: "interrupted" },
    ]);
  });

  it.each([
    ["an id that is no UUID", {}],
    ["an id that is no UUID, and a time that is none", { ts: "yesterday" }],
    ["an id that is no UUID, and a day that is none", { ts: "2026-02-30T25:00:00Z" }],
    ["an id that is no UUID, and the 31st of a short month", { ts: "2026-06-31T00:00:00.5+00:00" }],
  ])("shows a checkpoint with %s, and the threads beside it", async (_name, header) => {
    await putValues(saver, threadConfig("other"), { title: "1" });
    const versions = { "branch:to:next": saver.getNextVersion(undefined) };
    const given = { ...checkpointOf(saver, {}), channel_values: { "branch:to:next": null } };
    const config = await saver.put(
      threadConfig("odd"),
      { ...given, id: "1", channel_versions: versions },
      metadataOf(),
      versions,
    );
    await database.query("update checkpoints set checkpoint = checkpoint || $1 where thread_id = 'odd'", [
      JSON.stringify(header),
    ]);
    await saver.putWrites(config, [["title", "2"]], "task");
    await putValues(saver, threadConfig("damaged"), { title: "1" });
    await database.exec(`update checkpoints set metadata = '[]' where thread_id = 'damaged'`);

    for (const order of ["id", "recent"] as const) {
      const { threads } = await calls.read("threads", { order });
      expect(threads.map(({ threadId }) => threadId).sort()).toEqual(["damaged", "odd", "other"]);
      expect(threads.find(({ threadId }) => threadId === "odd")).toMatchObject({
        ...{ checkpointId: "1", status: "pending", next: ["next"] },
      });
    }
    expect(await calls.read("thread", { threadId: "odd" })).toMatchObject({
      namespaces: [{ checkpointId: "1", next: ["next"] }],
    });
    const place = { threadId: "odd", namespace: "", checkpointId: "1" };
    expect(await calls.read("checkpoint", place)).toMatchObject({
      next: ["next"],
      tasks: [{ taskId: "task" }],
    });
    expect((await calls.read("history", { threadId: "odd", namespace: "" })).points).toHaveLength(1);
  });

  it.each(["id", "recent"] as const)(
    "searches ids in any case, without wildcards, in the order %s",
    async (order) => {
      for (const id of ["Order-50%", "order-500", "under_score", "underscore"]) {
        await saver.put(threadConfig(id), checkpointOf(saver, {}), metadataOf(0, { user: id.length }), {});
      }
      expect(await idsOf({ order, search: "ORDER-50" })).toHaveLength(2);
      expect(await idsOf({ order, search: "50%" })).toEqual(["Order-50%"]);
      expect(await idsOf({ order, search: "R_s" })).toEqual(["under_score"]);
      expect(await idsOf({ order, search: "order", filter: { user: 9 } })).toHaveLength(2);
      expect(await idsOf({ order, filter: { user: 10 } })).toEqual(["underscore"]);
      expect(await idsOf({ order, filter: { user: 11 }, search: "score" })).toEqual(["under_score"]);
    },
  );

  it.each(["id", "recent"] as const)(
    "reads threads whose newest checkpoint matches page by page, in the order %s",
    async (order) => {
      for (const [id, user] of Object.entries({ a: 1, b: 2, c: 1, d: 1 })) {
        const { config } = await putValues(saver, threadConfig(id), {});
        await saver.put(config, checkpointOf(saver, {}), metadataOf(1, { user, at: new Date(user) }), {});
      }
      const past = await saver.put(
        threadConfig("e"),
        checkpointOf(saver, {}),
        metadataOf(0, { user: 1 }),
        {},
      );
      await saver.put(past, checkpointOf(saver, {}), metadataOf(1, { user: 2 }), {});

      const found: string[] = [];
      let after: string | undefined;
      do {
        const page = await calls.read("threads", {
          ...{ order, filter: { user: 1 }, limit: 1 },
          ...(after !== undefined && { after }),
        });
        found.push(...page.threads.map(({ threadId }) => threadId));
        after = page.next;
      } while (after !== undefined);
      expect(found).toEqual(order === "id" ? ["a", "c", "d"] : ["d", "c", "a"]);
      // A Date is stored as a record, which no plain object matches.
      expect(await idsOf({ order, filter: { user: 1, at: {} } })).toEqual([]);
    },
  );

  it("measures what storage() measures", async () => {
    const { config } = await putValues(saver, threadConfig("1"), { text: "long ".repeat(20_000), count: 1 });
    await saver.putWrites(config, [["text", "new"]], "task");
    await putValues(saver, threadConfig("2"), { text: "short" });
    const { total } = await saver.storage({ threadId: "1" });
    const { bytes } = await calls.read("threadSizes", { threadIds: ["1", "none", "1"] });
    expect(bytes).toEqual({ "1": total.headerBytes + total.blobBytes + total.writeBytes, none: 0 });
  });

  it("reads the history of a namespace in pages, with runs, interrupts and errors, but not the rest of the metadata", async () => {
    const ids = Array.from({ length: 5 }, () => nextId());
    let config = threadConfig("1");
    for (const [step, id] of ids.entries()) {
      const metadata = metadataOf(step, { run_id: `run ${step}`, writes: "large ".repeat(1_000) });
      config = await saver.put(config, { ...checkpointOf(saver, {}), id }, metadata, {});
    }
    await saver.putWrites(config, [["__error__", "failed"]], "1");
    await saver.putWrites(config, [["__interrupt__", "?"]], "2");

    const first = await calls.read("history", { threadId: "1", namespace: "", limit: 3 });
    expect(first).toMatchObject({
      hasMore: true,
      points: [{ checkpointId: ids[4] }, {}, { checkpointId: ids[2] }],
    });
    expect(first.points[0]).toEqual({
      ...{ checkpointId: ids[4], parentId: ids[3], createdAt: expect.any(Number), step: 4, source: "loop" },
      ...{ runId: "run 4", writes: 2, interrupted: true, failed: true },
    });
    const rest = await calls.read("history", { threadId: "1", namespace: "", limit: 3, before: ids[2] });
    expect(rest.points.map(({ checkpointId }) => checkpointId)).toEqual([ids[1], ids[0]]);
    expect(rest.hasMore).toBe(false);
  });

  it("tells a deleted thread from one that never was", async () => {
    await putValues(saver, threadConfig("1"), { title: "a" });
    await saver.deleteThread("1");
    expect(await calls.read("thread", { threadId: "1" })).toEqual({
      ...{ threadId: "1", namespaces: [], deletedAt: expect.any(Number) },
    });
    expect(await calls.read("thread", { threadId: "2" })).toEqual({ threadId: "2", namespaces: [] });
  });

  it.each([
    ["threads", { limit: 201 }],
    ["threads", { order: "size" }],
    ["threads", { filter: { at: "\0" } }],
    ["threads", { search: "\0" }],
    ["threads", { after: "a\0" }],
    ["threads", { order: "recent", after: "1" }],
    ["threadSizes", { threadIds: Array.from({ length: 201 }, () => uuid6(0)) }],
    ["thread", {}],
    ["history", { threadId: "1" }],
    ["history", { threadId: "1", namespace: "", limit: 2_001 }],
  ])("refuses %s with %j", async (name, args) => {
    expect(await calls.refusal(name, args)).toEqual([400, "INVALID_CONFIG"]);
  });
});

describeServer("a request of the inspector that ends", (target) => {
  it.each(["threads", "thread", "history", "threadSizes"])("ends the statement of %s", async (name) => {
    const database = await target.sharedDatabase();
    await using saver = new PostgresSaver(database.source);
    const calls = new InspectorCalls(saver);
    const given = new Map<string, object>([
      ["thread", { threadId: "1" }],
      ["history", { threadId: "1", namespace: "" }],
      ["threadSizes", { threadIds: ["1"] }],
    ]);
    const holder = new pg.Client(database.source);
    await holder.connect();
    try {
      await holder.query("begin; lock table checkpoints");
      const page = new AbortController();
      const answer = calls.post(name, given.get(name) ?? {}, page.signal);
      await untilOneWaits(database);
      page.abort();
      expect((await answer).status).toBe(503);
      await until(async () => (await countWaiting(database)) === 0);
    } finally {
      await holder.end();
    }
  });
});
