import { beforeEach, expect, it } from "@jest/globals";
import fc from "fast-check";
import { PostgresSaver, type Problem } from "../../src/index.js";
import { collect, threadConfig } from "../../test-support/checkpoints.js";
import { memoryArchive } from "../../test-support/memory-archive.js";
import { runs } from "../../test-support/runs.js";
import { describeEachTarget, type TestDatabase } from "../../test-support/targets.js";
import { anyDamage, inflict, putOrigin } from "../audit/inflict-damage.js";
import { allRows } from "../backup/all-rows.js";

const HEALTHY = "healthy";

/** The threads of errors: what loses nothing is a notice, and needs no repair. */
function threadsOf(problems: readonly Problem[]): string[] {
  const errors = problems.filter(({ severity }) => severity === "error");
  return [...new Set(errors.map(({ threadId }) => threadId))].sort();
}

describeEachTarget("several damaged threads beside a healthy one", (target) => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await target.migratedDatabase();
    await database.exec("alter table checkpoint_writes alter task_path drop not null");
  });

  it("are named, stop nothing, are planned without a change, repaired, and verified clean; and that can be undone", async () => {
    await using saver = new PostgresSaver(database.source, undefined, { retry: false, splices: true });
    await putOrigin(saver, HEALTHY);
    const original = await saver.getTuple(threadConfig(HEALTHY));
    const property = fc.asyncProperty(
      fc.array(anyDamage, { minLength: 4, maxLength: 4 }),
      fc.boolean(),
      fc.boolean(),
      fc.context(),
      async (damages, hasBackup, rollBack, context) => {
        const names = damages.map((_, index) => `damaged ${index}`);
        await database.exec("delete from checkpoint_tombstones");
        for (const name of names) await saver.deleteThread(name);
        for (const name of names) await saver.copyThread(HEALTHY, name);
        const backup = await collect(saver.exportThreads());
        for (const [index, damage] of damages.entries())
          context.log(await inflict(database, names[index] ?? "", damage));
        const damaged = threadsOf((await saver.verify()).problems);
        const before = await allRows(database);

        // Nothing stops.
        expect((await saver.listThreads()).map(({ threadId }) => threadId)).toContain(HEALTHY);
        for (const name of ["compact", "expand", "sanitize"] as const)
          for (const { threadId } of (await saver[name]({ dryRun: true })).damaged)
            expect(damaged).toContain(threadId);
        await saver.prune({ keepLast: 1, dryRun: true });

        const options = { rollBack, from: hasBackup ? backup : undefined };
        const plan = await saver.repair({ ...options, dryRun: true });
        expect(threadsOf(plan.repairs.map(({ problem }) => problem))).toEqual(damaged);
        expect(await allRows(database)).toEqual(before);

        const archive = memoryArchive();
        const done = await saver.repair({ ...options, to: archive });
        expect(done.repairs).toEqual(plan.repairs);
        const left = done.repairs.filter(({ action }) => action === "none").map(({ problem }) => problem);
        expect(threadsOf((await saver.verify()).problems)).toEqual(threadsOf(left));
        if (hasBackup) expect(threadsOf(left)).toEqual([]);

        // What is left moves away.
        const rest = await saver.repair({ ...options, to: archive, quarantine: true });
        expect(rest.repaired).toBe(rest.threads);
        expect((await saver.verify()).problems.filter(({ severity }) => severity === "error")).toEqual([]);
        expect(await saver.getTuple(threadConfig(HEALTHY))).toEqual(original);
      },
    );
    await fc.assert(property, runs(5));
  });
});
