import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { PostgresSaver } from "../../src/index.js";
import type { Branch, HistoryEntry, ThreadHistory } from "../../src/index.js";
import { buildBranches } from "../../src/threads/history.js";
import { newThread, nextId, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { runs } from "../../test-support/runs.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";
import { LAYOUTS, openLayout } from "./layouts.js";

function idsOf({ checkpoints }: Branch): string[] {
  return checkpoints.map(({ checkpointId }) => checkpointId);
}

function entriesOf({ checkpoints, branches }: Branch): HistoryEntry[] {
  return [...checkpoints, ...branches.flatMap(entriesOf)];
}

/** The lengths of the pages of so many checkpoints. */
function lengthsOf(count: number, limit: number): number[] {
  return count <= limit ? [count] : [limit, ...lengthsOf(count - limit, limit)];
}

/** The parents of checkpoints A, B and so on: older, younger, missing, or none. */
const anyTree = fc.record({
  parents: fc.array(fc.constantFrom("", ...Array.from("ABCDEFGHIJKL"), "?"), { maxLength: 12 }),
  limit: fc.integer({ min: 1, max: 5 }),
});

describeAnyTarget("history", (target) => {
  describe.each(LAYOUTS)("on %s", (layout) => {
    let saver: PostgresSaver;
    beforeAll(async () => {
      ({ saver } = await openLayout(target, layout));
    });
    afterAll(() => saver.end());

    it("returns a tree of branches, with the metadata and the pending writes of each checkpoint", async () => {
      const thread = newThread();
      const root = await putValues(saver, threadConfig(thread), { a: [1] });
      const left = await putValues(saver, root.config, { a: [2] }, root.checkpoint);
      const right = await putValues(saver, root.config, { a: [3] }, root.checkpoint);
      const last = await putValues(saver, right.config, { a: [4] }, right.checkpoint);
      await saver.putWrites(
        left.config,
        [
          ["a", 1],
          ["b", 2],
        ],
        "task",
      );
      await saver.putWrites(last.config, [["__interrupt__", { value: "?" }]], "task");
      await putValues(saver, threadConfig(thread, { checkpoint_ns: "inner" }), { a: [5] });
      const { branches, ...rest } = await saver.history(thread);
      expect(rest).toEqual({ threadId: thread, checkpointNs: "", head: last.checkpoint.id });
      expect(branches.map(idsOf)).toEqual([[root.checkpoint.id]]);
      expect(branches[0]?.branches.map(idsOf)).toEqual([
        [left.checkpoint.id],
        [right.checkpoint.id, last.checkpoint.id],
      ]);
      expect(branches[0]?.branches[0]?.checkpoints[0]).toEqual({
        checkpointId: left.checkpoint.id,
        parentCheckpointId: root.checkpoint.id,
        createdAt: expect.any(Date),
        step: 0,
        source: "loop",
        metadata: { source: "loop", step: 0, parents: {} },
        writes: 2,
        interrupted: false,
      });
      expect(branches[0]?.branches[1]?.checkpoints[1]).toMatchObject({ writes: 1, interrupted: true });
      const inner = await saver.history(thread, { checkpointNs: "inner" });
      expect(inner.branches.flatMap(idsOf)).toHaveLength(1);
    });

    it("is empty for an unknown thread", async () => {
      const thread = newThread();
      const none = { threadId: thread, checkpointNs: "", head: undefined, branches: [] };
      expect(await saver.history(thread)).toEqual(none);
    });
  });

  describe("of rows that SQL has changed", () => {
    let database: TestDatabase;
    let saver: PostgresSaver;
    beforeAll(async () => {
      database = await target.migratedDatabase();
      saver = new PostgresSaver(database.source);
    });
    afterAll(() => saver.end());

    it("shows a damaged checkpoint in its place in the tree, and says what is damaged", async () => {
      const thread = newThread();
      const root = await putValues(saver, threadConfig(thread), { a: [1] });
      const middle = await putValues(saver, root.config, { a: [2] }, root.checkpoint);
      const last = await putValues(saver, middle.config, { a: [3] }, middle.checkpoint);
      await database.query(
        "update checkpoints set metadata = '[]' where thread_id = $1 and checkpoint_id = $2",
        [thread, middle.checkpoint.id],
      );
      const { branches } = await saver.history(thread);
      expect(branches).toHaveLength(1);
      const entries = branches[0]?.checkpoints;
      expect(entries?.map(({ checkpointId }) => checkpointId)).toEqual(
        [root, middle, last].map(({ checkpoint }) => checkpoint.id),
      );
      expect(entries?.map(({ damaged }) => damaged)).toEqual([
        undefined,
        expect.stringContaining('the column "metadata" holds no object'),
        undefined,
      ]);
      expect(entries?.[1]).toMatchObject({
        createdAt: expect.any(Date),
        metadata: undefined,
        step: undefined,
      });
    });

    it("returns each checkpoint once, from several pages", async () => {
      await database.exec(
        `insert into checkpoints (thread_id, checkpoint_id, parent_checkpoint_id, checkpoint, metadata)
        select 'long', lpad(i::text, 8, '0'), case when i > 0 then lpad((i - 1)::text, 8, '0') end,
          '{"v": 4, "id": "", "ts": "2025-01-01T00:00:00Z"}', jsonb_build_object('step', i)
        from generate_series(0, 24999) i`,
      );
      const { head, branches } = await saver.history("long");
      expect(head).toBe("00024999");
      expect(branches).toHaveLength(1);
      expect(branches[0]?.checkpoints.map(({ step }) => step)).toEqual(
        Array.from({ length: 25_000 }, (_, index) => index),
      );
    });

    it("reads a page that is as long as what it reads at once", async () => {
      await database.exec(
        `insert into checkpoints (thread_id, checkpoint_id, checkpoint, metadata)
        select 'page', lpad(i::text, 8, '0'), '{"ts": "2025-01-01T00:00:00Z"}', '{}' from generate_series(0, 5000) i`,
      );
      const { next, branches } = await saver.history("page", { limit: 5_000 });
      expect({ next, count: branches.length }).toEqual({ next: "00000001", count: 5_000 });
      expect(await saver.history("page", { limit: 5_001 })).not.toHaveProperty("next");
    });

    it("returns pages that are together the whole history of any tree", async () => {
      await fc.assert(
        fc.asyncProperty(anyTree, async ({ parents, limit }) => {
          const thread = newThread();
          await database.query(
            `insert into checkpoints (thread_id, checkpoint_id, parent_checkpoint_id, checkpoint, metadata)
            select $1, chr(64 + i::integer), nullif(parent, ''), '{"ts": "2025-01-01T00:00:00Z"}', '{}'
            from unnest($2::text[]) with ordinality as row (parent, i)`,
            [thread, parents],
          );
          const whole = await saver.history(thread);
          const pages: ThreadHistory[] = [];
          for (let before: string | undefined; ; before = pages.at(-1)?.next) {
            pages.push(await saver.history(thread, { limit, before }));
            if (pages.at(-1)?.next === undefined) break;
          }
          const entries = pages.map(({ branches }) => branches.flatMap(entriesOf));
          expect(entries.map(({ length }) => length)).toEqual(lengthsOf(parents.length, limit));
          expect(buildBranches(entries.flat())).toEqual(whole.branches);
          expect(pages.map(({ head }) => head)).toEqual(pages.map(() => whole.head));
        }),
        runs(20),
      );
    });

    it("shows a page before a checkpoint that is not stored", async () => {
      const thread = newThread();
      const { checkpoint } = await putValues(saver, threadConfig(thread), { a: [1] });
      const gone = nextId();
      const older = await saver.history(thread, { before: gone });
      expect(older.branches.map(idsOf)).toEqual([[checkpoint.id]]);
      const none = await saver.history(thread, { before: checkpoint.id });
      expect(none).toMatchObject({ head: checkpoint.id, branches: [] });
    });
  });
});
