import { afterEach, expect, it } from "@jest/globals";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { Checkpoint } from "@langchain/langgraph-checkpoint";
import fc from "fast-check";
import { PostgresSaver } from "../../src/index.js";
import { MAX_BASES, MAX_CHAIN } from "../../src/splices/value-chain.js";
import { chainLengths } from "../../test-support/chains.js";
import { collect, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { memoryArchive } from "../../test-support/memory-archive.js";
import { IS_LONG, runs } from "../../test-support/runs.js";
import { incompressibleText as text } from "../../test-support/spliced-values.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";

/** What happens to a thread between the puts of its writers. */
const UPKEEP = {
  compact: (saver: PostgresSaver, threads: string[]) => saver.compact({ threads }),
  expand: (saver: PostgresSaver, threads: string[]) => saver.expand({ threads }),
  prune: (saver: PostgresSaver, threads: string[]) => saver.prune({ threads, keepLast: 3 }),
  "copy and go on with the copy": async (saver: PostgresSaver, [thread = ""]: string[]) => {
    await saver.copyThread(thread, "copy");
    await saver.deleteThread(thread);
    await saver.copyThread("copy", thread);
    await saver.deleteThread("copy");
  },
  "export and import": async (saver: PostgresSaver, threads: string[]) => {
    const lines = await collect(saver.exportThreads({ threads }));
    await saver.prune(threads, { strategy: "delete" });
    await saver.importThreads(lines);
  },
  "archive and restore": async (saver: PostgresSaver, threads: string[]) => {
    const archive = memoryArchive();
    await saver.archive({ to: archive, threads, keepLast: 2 });
    await saver.restore({ from: archive, threads });
  },
};

const anyUpkeep = fc.oneof(
  { weight: 12, arbitrary: fc.constant("compact" as const) },
  { weight: 1, arbitrary: fc.constantFrom(...(Object.keys(UPKEEP) as (keyof typeof UPKEEP)[])) },
);

/** A writer that puts some values, with something between them, and is then replaced by another process. */
const anyWriterParts = {
  puts: fc.integer({ min: 1, max: 4 }),
  reads: fc.boolean(),
  /** Whether it is an earlier writer, which has not seen what happened meanwhile. */
  isOld: fc.boolean(),
  upkeep: fc.array(anyUpkeep, { minLength: 4, maxLength: 4 }),
  /** Whether puts and upkeep run at the same time. */
  concurrent: fc.boolean(),
};
const anyWriter = fc.record(anyWriterParts);

/** Writers that differ, or many that do the same, which makes the longest chains. */
const anyWriters = fc.oneof(
  fc.array(anyWriter, { minLength: 5, maxLength: 15 }),
  fc
    .record({ ...anyWriterParts, upkeep: fc.constant(["compact", "compact", "compact", "compact"] as const) })
    .map((writer) => Array.from({ length: IS_LONG ? 40 : 12 }, () => writer)),
);

interface Stored {
  readonly config: RunnableConfig;
  readonly checkpoint: Checkpoint;
  readonly list: readonly string[];
}

describeAnyTarget("chains of writers that restart, and of maintenance between their puts", (target) => {
  const open: PostgresSaver[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((saver) => saver.end()));
  });

  it("have a bound, and every checkpoint that was acknowledged and not pruned reads back equal (C13)", async () => {
    const database: TestDatabase = await target.migratedDatabase();
    const newWriter = (): PostgresSaver => {
      const saver = new PostgresSaver(database.source, undefined, { splices: true });
      open.push(saver);
      return saver;
    };
    await using keeper = new PostgresSaver(database.source);
    let longest = 0;
    let run = 0;
    const property = fc.asyncProperty(anyWriters, async (writers) => {
      const thread = `thread ${run++}`;
      const stored: Stored[] = [];
      let old = newWriter();
      for (const { puts, reads, isOld, upkeep, concurrent } of writers) {
        const writer = isOld ? old : newWriter();
        for (let put = 0; put < puts; put++) {
          const head = stored.at(-1);
          const list = [...(head?.list ?? [text(5_000)]), text(20)];
          if (reads && head !== undefined) await writer.getTuple(head.config);
          const next = putValues(writer, head?.config ?? threadConfig(thread), { list }, head?.checkpoint);
          const name = upkeep[put] ?? "compact";
          // Only compact runs beside writers; the others may not see the checkpoint that is being stored.
          const meanwhile =
            concurrent && name === "compact" ? keeper.compact({ threads: [thread] }) : undefined;
          const [result] = await Promise.all([next, meanwhile]);
          stored.push({ ...result, list });
          if (meanwhile === undefined) await UPKEEP[name](keeper, [thread]);
          const lengths = await chainLengths(database, thread);
          longest = Math.max(longest, ...lengths);
          const bound = name === "compact" && meanwhile === undefined ? MAX_BASES : MAX_CHAIN;
          expect(Math.max(...lengths)).toBeLessThanOrEqual(bound);
        }
        old = writer;
      }
      const tuples = new Map(
        (await collect(keeper.list(threadConfig(thread)))).map((tuple) => [tuple.checkpoint.id, tuple]),
      );
      const kept = stored.filter(({ checkpoint }) => tuples.has(checkpoint.id));
      expect(kept.at(-1)).toBe(stored.at(-1));
      for (const { checkpoint, list } of kept) {
        expect(tuples.get(checkpoint.id)?.checkpoint.channel_values).toEqual({ list });
      }
      const { problems } = await keeper.verify(thread);
      expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
      await keeper.deleteThread(thread);
      await Promise.all(open.splice(0).map((saver) => saver.end()));
    });
    await fc.assert(property, runs(3));
    // Otherwise it says nothing of the bound.
    expect(longest).toBeGreaterThan(4);
  });
});
