import { expect, it } from "@jest/globals";
import fc from "fast-check";
import { BackupError, checkBackup, mergeBackups, PostgresSaver } from "../../src/index.js";
import { collect, threadConfig } from "../../test-support/checkpoints.js";
import { runs } from "../../test-support/runs.js";
import { describeAnyTarget } from "../../test-support/targets.js";
import { anyStep, RandomThreads, type Step } from "../archive/random-threads.js";
import { allRows } from "./all-rows.js";

const EMPTY = "delete from checkpoints; delete from checkpoint_blobs; delete from checkpoint_writes";

/** Changes that leave no time and no tombstone behind. */
const CHANGES: Readonly<Record<string, (saver: PostgresSaver) => Promise<unknown>>> = {
  nothing: () => Promise.resolve(),
  prune: (saver) => saver.prune({ keepLast: 1 }),
  "delete a": (saver) => saver.deleteThread("a"),
  "copy a": (saver) => saver.copyThread("a", "copy").catch(() => undefined),
  "late write": (saver) => lateWrite(saver, "a"),
  compact: (saver) => saver.compact(),
};

async function lateWrite(saver: PostgresSaver, thread: string): Promise<void> {
  const tuple = await saver.getTuple(threadConfig(thread));
  if (tuple !== undefined) await saver.putWrites(tuple.config, [["late", "value"]], "late task");
}

const anyPart = fc.record({
  steps: fc.array(anyStep, { maxLength: 4 }),
  change: fc.constantFrom(...Object.keys(CHANGES)),
});

const STEP: Step = {
  ...{ thread: "a", ns: "", back: 1, delta: "write", list: true, scalar: true, pending: true },
};

function threadsOf(lines: readonly string[]): string[] {
  return lines.flatMap((line) => /^\{"thread":("(?:[^"\\]|\\.)*")/.exec(line)?.[1] ?? []);
}

describeAnyTarget("an increment", (target) => {
  async function openSaver() {
    const database = await target.migratedDatabase();
    const saver = new PostgresSaver(database.source, undefined, { retry: false, splices: true });
    return { database, saver };
  }

  it("has every change since the earlier backups, so that the chain restores every row byte for byte", async () => {
    const [source, copy] = [await openSaver(), await openSaver()];
    await using from = source.saver;
    await using to = copy.saver;
    const threads = new RandomThreads(from);
    let gone = 0;
    const property = fc.asyncProperty(fc.array(anyPart, { minLength: 2, maxLength: 4 }), async (parts) => {
      threads.reset();
      for (const { database } of [source, copy]) await database.exec(EMPTY);
      const chain: string[][] = [];
      for (const { steps, change } of parts) {
        for (const step of steps) await threads.add(step);
        await CHANGES[change]?.(from);
        const increment = chain.length > 0;
        chain.push(await collect(from.exportThreads(increment ? { since: chain } : {})));
        if (increment && chain.at(-1)?.includes('{"thread":"a","checkpoints":0,"writes":0,"blobs":0}'))
          gone += 1;
      }
      const stored = await allRows(source.database);
      const merged = await collect(mergeBackups(chain));
      expect(await checkBackup(merged)).toMatchObject({ isIntact: true });
      await to.importThreads(merged);
      expect(await allRows(copy.database)).toEqual(stored);
      expect(threadsOf(await collect(to.exportThreads({ since: chain })))).toEqual([]);
      expect(threadsOf(await collect(from.exportThreads({ since: [merged] })))).toEqual([]);
    });
    await fc.assert(property, runs(12));
    expect(gone).toBeGreaterThan(0);
  });

  it("has the threads that changed, whole, and of named threads only those", async () => {
    const { saver } = await openSaver();
    await using from = saver;
    const threads = new RandomThreads(from);
    for (const thread of ["a", "b", "c/ü"] as const) await threads.add({ ...STEP, thread });
    const full = await collect(from.exportThreads());
    await threads.add({ ...STEP, thread: "b" });
    await from.deleteThread("c/ü");
    const increment = await collect(from.exportThreads({ since: [full] }));
    expect(threadsOf(increment)).toEqual(['"b"', '"c/ü"']);
    const whole = await collect(from.exportThreads({ threads: ["b"] }));
    expect(increment.slice(1, -2)).toEqual(whole.slice(1, -1));
    const named = await collect(from.exportThreads({ since: [full], threads: ["a", "c/ü"] }));
    expect(threadsOf(named)).toEqual(['"c/ü"']);
  });

  it("is refused alone, out of order, and where one is missing or damaged, with the backup that is meant", async () => {
    const { database, saver } = await openSaver();
    await using from = saver;
    const threads = new RandomThreads(from);
    const chain: string[][] = [];
    for (const thread of ["a", "b", "c/ü"] as const) {
      await threads.add({ ...STEP, thread });
      chain.push(await collect(from.exportThreads(chain.length > 0 ? { since: chain } : {})));
    }
    const [full = [], first = [], second = []] = chain;
    const sha256 = /"sha256":"(\w+)"/.exec(full.at(-1) ?? "")?.[1] ?? "none";
    await database.exec(EMPTY);
    const alone = `the backup is an increment, and the backup that it continues is missing: the one with the checksum ${sha256}`;
    await expect(from.importThreads(first)).rejects.toThrow(`line 1: ${alone}; nothing was restored`);
    expect(await checkBackup(first)).toMatchObject({ faults: [{ line: 1, message: alone }] });
    const cut = [...first.slice(0, 2), ...first.slice(3)];
    for (const [backups, problem] of [
      [[first], alone],
      [[first, second], `backup 1 of 2: line 1: ${alone}`.replace("line 1: ", "")],
      [[first, full], "backup 2 of 2: the backup is a full one, and can only be the first one"],
      [[full, full], "backup 2 of 2: the backup is a full one"],
      [[full, second], `the one before it has ${sha256}`],
      [[full, second, first], "backup 3 of 3: the increment continues"],
      [[full, cut, second], "backup 2 of 3: the backup is damaged: its checksum does not match"],
      [[full, first.slice(0, 3)], "backup 2 of 2: line 3: the backup is truncated"],
    ] as const) {
      const merged = collect(mergeBackups(backups));
      await expect(merged).rejects.toThrow(BackupError);
      await expect(merged).rejects.toThrow(problem);
      await expect(collect(from.exportThreads({ since: backups }))).rejects.toThrow(BackupError);
    }
    await from.importThreads(mergeBackups(chain));
    expect(threadsOf(await collect(from.exportThreads()))).toEqual(['"a"', '"b"', '"c/ü"']);
  });
});
