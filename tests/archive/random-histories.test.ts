import { expect, it } from "@jest/globals";
import fc from "fast-check";
import { type ArchiveRule, PostgresSaver } from "../../src/index.js";
import { memoryArchive } from "../../test-support/memory-archive.js";
import { runs } from "../../test-support/runs.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";
import { allRows } from "../backup/all-rows.js";
import { brokenSplices } from "../../test-support/chains.js";
import { anyStep, RandomThreads } from "./random-threads.js";

const anyRule: fc.Arbitrary<ArchiveRule> = fc.oneof(
  fc.record({ keepLast: fc.integer({ min: 1, max: 4 }), batchSize: fc.constantFrom(1, 2, 500) }),
  fc.record({ olderThanMs: fc.constant(1_000), namespaces: fc.constantFrom([""], ["sub", ""]) }),
  fc.record({ idleForMs: fc.constant(1_000), threads: fc.constantFrom(undefined, ["a", "c/ü"]) }),
  fc.record({
    strategy: fc.constant<"delete">("delete"),
    threads: fc.constantFrom(["a"], ["a", "b", "none"]),
  }),
);

const anyPart = fc.record({
  steps: fc.array(anyStep, { minLength: 1, maxLength: 10 }),
  rule: anyRule,
  filesPer: fc.constantFrom<"thread" | "run">("thread", "run"),
});

async function rowsOf(database: TestDatabase): Promise<Set<string>> {
  const tables = Object.entries(await allRows(database));
  return new Set(tables.flatMap(([table, rows]) => rows.map((row) => `${table} ${row}`)));
}

describeAnyTarget("archive of a random history", (target) => {
  it("removes what prune would, keeps what stays readable, and restores every row byte for byte, twice", async () => {
    const database = await target.migratedDatabase();
    await using saver = new PostgresSaver(database.source, undefined, { retry: false, splices: true });
    const threads = new RandomThreads(saver);
    let splices = 0;
    const property = fc.asyncProperty(fc.array(anyPart, { minLength: 1, maxLength: 3 }), async (parts) => {
      const archive = memoryArchive();
      threads.reset();
      await saver.prune(["a", "b", "c/ü"], { strategy: "delete" });
      const everStored = new Set<string>();
      for (const { steps, rule, filesPer } of parts) {
        for (const step of steps) await threads.add(step);
        const before = await rowsOf(database);
        for (const row of before) everStored.add(row);
        splices += [...before].filter((row) => row.includes("-splice")).length;
        const preview = await saver.archive({ ...rule, to: archive, dryRun: true });
        const moved = await saver.archive({ ...rule, filesPer, to: archive });
        expect(moved).toEqual({ ...preview, files: moved.files, dryRun: false });
        const left = await rowsOf(database);
        expect(before.size - left.size).toBe(moved.checkpoints + moved.writes + moved.blobs);
        for (const row of left) expect(before).toContain(row);
        expect(await brokenSplices(database)).toEqual([]);
        const { problems } = await saver.verify();
        expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
      }
      const left = await rowsOf(database);
      const restored = await saver.restore({ from: archive });
      expect(await rowsOf(database)).toEqual(everStored);
      expect(left.size + restored.checkpoints + restored.writes + restored.blobs).toBe(everStored.size);
      const again = await saver.restore({ from: archive, threads: ["a", "b", "c/ü"] });
      expect(again).toMatchObject({ checkpoints: 0, writes: 0, blobs: 0 });
      expect(await rowsOf(database)).toEqual(everStored);
    });
    await fc.assert(property, runs(8));
    expect(splices).toBeGreaterThan(3);
  });
});
