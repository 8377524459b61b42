import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { uuid6 } from "@langchain/langgraph-checkpoint";
import type { PostgresSaver } from "../../src/index.js";
import { checkpointOf, metadataOf, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";
import { LAYOUTS, openLayout } from "./layouts.js";

const IDS = Array.from({ length: 7 }, (_, index) => `thread ${index}`);

describeAnyTarget("listThreads", (target) => {
  describe.each(LAYOUTS)("on %s", (layout) => {
    let saver: PostgresSaver;
    let newest: { id: string; time: number };

    beforeAll(async () => {
      ({ saver } = await openLayout(target, layout));
      for (const id of IDS.toReversed()) await putValues(saver, threadConfig(id), { a: [1] });
      const inner = threadConfig("thread 3", { checkpoint_ns: "zone:1" });
      await putValues(saver, inner, { a: [1] });
      const before = Date.now();
      const checkpoint = checkpointOf(saver, {});
      const metadata = { ...metadataOf(4), source: "update" as const, user: { name: "ann", tags: [1, 2] } };
      await saver.put(threadConfig("thread 3", { checkpoint_ns: "b:1" }), checkpoint, metadata, {});
      newest = { id: checkpoint.id, time: before };
    });
    afterAll(() => saver.end());

    it("returns each thread's newest checkpoint over all namespaces, and the number of its checkpoints", async () => {
      const threads = await saver.listThreads();
      expect(threads.map(({ threadId }) => threadId)).toEqual(IDS);
      const [third] = threads.slice(3);
      expect(third).toEqual({
        threadId: "thread 3",
        checkpointNs: "b:1",
        checkpointId: newest.id,
        updatedAt: expect.any(Date),
        step: 4,
        source: "update",
        checkpoints: 3,
        namespaces: 3,
        metadata: { source: "update", step: 4, parents: {}, user: { name: "ann", tags: [1, 2] } },
      });
      // The bound is that of the test itself, so that a slow machine does not fail it.
      expect(Math.abs((third?.updatedAt?.getTime() ?? 0) - newest.time)).toBeLessThan(60_000);
    });

    it("continues after a thread, whether it exists or not", async () => {
      const idsAfter = async (after: string, limit?: number) =>
        (await saver.listThreads({ after, ...(limit !== undefined && { limit }) })).map(
          ({ threadId }) => threadId,
        );
      expect(await idsAfter("thread 4")).toEqual(["thread 5", "thread 6"]);
      expect(await idsAfter("thread 1a", 2)).toEqual(["thread 2", "thread 3"]);
      expect(await idsAfter("thread 6")).toEqual([]);
      expect(await idsAfter("", 0)).toEqual([]);
    });

    it("returns each thread on one page, however short the pages are", async () => {
      const seen: string[] = [];
      for (;;) {
        const page = await saver.listThreads({ limit: 2, after: seen.at(-1) });
        seen.push(...page.map(({ threadId }) => threadId));
        if (page.length < 2) break;
      }
      expect(seen).toEqual(IDS);
    });

    it("filters by the newest checkpoint's metadata before it applies the limit", async () => {
      const found = await saver.listThreads({ filter: { user: { tags: [2] } }, limit: 1 });
      expect(found.map(({ threadId }) => threadId)).toEqual(["thread 3"]);
      expect(await saver.listThreads({ filter: { source: "loop" } })).toHaveLength(6);
      expect(
        await saver.listThreads({ filter: { source: "loop" }, after: "thread 2", limit: 2 }),
      ).toMatchObject([{ threadId: "thread 4" }, { threadId: "thread 5" }]);
      expect(await saver.listThreads({ filter: { user: { name: "bob" } } })).toEqual([]);
      expect(await saver.listThreads({ filter: {} })).toHaveLength(7);
    });

    it("leaves out threads whose newest checkpoint is not later than updatedAfter", async () => {
      const [third] = (await saver.listThreads({ after: "thread 2", limit: 1 })).slice();
      const time = third?.updatedAt?.getTime() ?? NaN;
      const idsAfter = async (ms: number) =>
        (await saver.listThreads({ updatedAfter: new Date(ms) })).map(({ threadId }) => threadId);
      expect(await idsAfter(time - 1)).toContain("thread 3");
      expect(await idsAfter(time)).toEqual([]);
      expect(await idsAfter(-8.64e15)).toEqual(IDS);
      expect(await idsAfter(8.64e15)).toEqual([]);
    });
  });

  describe("with ids that are not UUIDs", () => {
    let database: TestDatabase;
    let saver: PostgresSaver;
    beforeAll(async () => {
      ({ database, saver } = await openLayout(target, "tables of the official savers"));
    });
    afterAll(() => saver.end());

    async function insert(id: string, checkpointId: string, ts: string): Promise<void> {
      await database.query(
        "insert into checkpoints (thread_id, checkpoint_id, checkpoint, metadata) values ($1, $2, $3, '{}')",
        [id, checkpointId, JSON.stringify({ v: 1, id: checkpointId, ts })],
      );
    }

    it("uses the header's time, and byte order", async () => {
      await insert("old", "a", "2024-05-04T06:32:42.235444+00:00");
      await insert("old", "B", "2024-05-04T06:32:41.000000+00:00");
      await insert("mixed", uuid6(0), "2024-01-01T00:00:00.000Z");
      const [mixed, old] = await saver.listThreads();
      expect(old).toMatchObject({
        threadId: "old",
        checkpointId: "a",
        updatedAt: new Date("2024-05-04T06:32:42.235Z"),
        step: undefined,
        source: undefined,
        checkpoints: 2,
      });
      expect(mixed?.updatedAt?.getFullYear()).toBeGreaterThanOrEqual(2025);
      const at = (time: string) => saver.listThreads({ updatedAfter: new Date(time) });
      expect(await at("2024-05-04T06:32:42.000Z")).toHaveLength(2);
      expect(await at("2024-05-04T06:32:43.000Z")).toHaveLength(1);
    });

    it.each([
      ["another version", "1ef00000-0000-7000-8000-000000000000"],
      ["a capital letter", "1EF00000-0000-6000-8000-000000000000"],
      ["another letter", "1ef0000g-0000-6000-8000-000000000000"],
      ["a hyphen too many", "1ef00000-0000-6000-8000-00000-000000"],
      ["a digit too few", "1ef00000-0000-6000-8000-00000000000"],
      ["a line break", "1ef00000-0000-6000-8000-000000000000\n"],
    ])("takes the header's time of a UUID with %s", async (_name, id) => {
      await database.exec("truncate checkpoints");
      await insert("like a UUID", id, "2020-05-04T06:32:42.000Z");
      expect(await saver.listThreads()).toMatchObject([{ updatedAt: new Date("2020-05-04T06:32:42.000Z") }]);
    });

    it("finds the newest and counts all checkpoints of a thread with many namespaces", async () => {
      for (let ns = 0; ns < 20; ns++) {
        const values = ["many", `n${ns}`, JSON.stringify({ v: 1, ts: "2024-05-04T06:32:42.000Z" })];
        for (const id of ns === 7 ? ["a", "B", "zz"] : ["B", "x"])
          await database.query(
            `insert into checkpoints (thread_id, checkpoint_ns, checkpoint_id, checkpoint, metadata)
             values ($1, $2, $4, $3, '{"step": 5}')`,
            [...values, id],
          );
      }
      const summary = { checkpointNs: "n7", checkpointId: "zz", namespaces: 20, checkpoints: 41 };
      const ofMany = { after: "man", limit: 1 };
      expect(await saver.listThreads(ofMany)).toMatchObject([summary]);
      expect(await saver.listThreads({ ...ofMany, filter: { step: 5 } })).toMatchObject([summary]);
      await saver.deleteThread("many");
    });

    it("lists a thread whose newest checkpoint is damaged, says what is damaged, and goes on", async () => {
      await insert("zz damaged", "1", "yesterday");
      await insert("zzz healthy", "1", "2024-05-04T06:32:42.000Z");
      const noTime = 'neither the id nor the "ts" of the header contains a time';
      const damaged = { threadId: "zz damaged", updatedAt: undefined, metadata: {}, damaged: noTime };
      const healthy = { threadId: "zzz healthy", updatedAt: new Date("2024-05-04T06:32:42.000Z") };
      expect(await saver.listThreads({ after: "zz" })).toMatchObject([damaged, healthy]);
      for (const metadata of ["null", "[]", '"text"', `{"deep":${"[".repeat(6000)}${"]".repeat(6000)}}`]) {
        await database.query("update checkpoints set metadata = $1 where thread_id = 'zz damaged'", [
          metadata,
        ]);
        const [described, ...others] = await saver.listThreads({ after: "zz" });
        expect(described).toMatchObject({
          ...damaged,
          metadata: undefined,
          damaged: expect.stringContaining("; " + noTime),
        });
        expect(others).toMatchObject([healthy]);
        expect(others[0]).not.toHaveProperty("damaged");
      }
    });
  });
});
