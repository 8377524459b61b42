import { expect } from "@jest/globals";
import fc from "fast-check";
import type { CheckpointSaver } from "../../src/checkpoint-saver.js";
import { JsonSerializer } from "../../src/serde/index.js";
import type { At, Step } from "./histories.js";
import { filter, id, place, sometimes, describeCall, THREADS, weighted } from "./histories.js";
import { resultOrCode } from "./result-or-code.js";
import { copyThread, history, listThreads } from "./reference-life.js";
import { deleteForRuns, deleteThreads, prune, type Retention } from "./reference-prune.js";
import { NO_ROWS, sum } from "./reference-rows.js";
import type { ReferenceSaver } from "./reference-saver.js";

/** Makes a step that describes itself by its arguments. */
function step<Call extends object>(
  verb: string,
  call: Call,
  run: (call: Call, model: ReferenceSaver, saver: CheckpointSaver) => Promise<void>,
): Step {
  return {
    check: () => true,
    run: (model, saver) => run(call, model, saver),
    toString: () =>
      "thread" in call && "ns" in call
        ? describeCall(verb, call as At & Call)
        : `${verb} ${JSON.stringify(call)}`,
  };
}

/** Expects as many rows in each table as the model has: no orphan remains, and nothing else was deleted. */
export async function expectSameRows(model: ReferenceSaver, saver: CheckpointSaver): Promise<void> {
  const counts = [...(await model.rows.count()).values()];
  const { checkpoints, writes, blobs } = (await saver.storage()).total;
  expect({ checkpoints, writes, blobs }).toEqual(counts.reduce(sum, NO_ROWS));
}

const threads = fc.subarray([...THREADS, "unknown"]);
const namespaces = fc.subarray(["", "child", "node:1f0c", "node:1f0c|inner", "unknown"]);

const copy = fc
  .record({ source: place.thread, back: fc.constantFrom(1, 2), reencode: fc.boolean() })
  .map(({ source, back, reencode }) => ({
    ...{ source, reencode },
    target: THREADS.at(THREADS.indexOf(source) - back) ?? "",
  }))
  .map((call) =>
    step("copyThread", call, async ({ source, target, reencode }, model, saver) => {
      const expected = await copyThread(model, source, target);
      // These values encode to the same bytes again.
      const options = { reencode: reencode && !(saver.serde instanceof JsonSerializer) };
      const actual = await resultOrCode(saver.copyThread(source, target, options));
      if (typeof expected === "string") expect(actual).toBe(expected);
      else expect(actual).toMatchObject({ ...expected });
      await expectSameRows(model, saver);
    }),
  );

const runs = fc.subarray(["r1", "r2", "unknown"]).map((runIds) =>
  step("deleteForRuns", { runIds }, async (_, model, saver) => {
    const wouldGo = await saver.deleteForRuns(runIds, { dryRun: true, deleteUnproven: true });
    await expectSameRows(model, saver);
    const expected = await deleteForRuns(model, runIds);
    const report = await saver.deleteForRuns(runIds, { deleteUnproven: true });
    expect(report).toMatchObject({ ...expected, dryRun: false });
    expect(wouldGo).toEqual({ ...report, dryRun: true });
    await expectSameRows(model, saver);
  }),
);

const pruning = fc
  .record({
    threads,
    strategy: weighted([undefined, 2], ["keep_latest" as const, 1], ["delete" as const, 1]),
  })
  .map((call) =>
    step("prune", call, async ({ threads: pruned, strategy }, model, saver) => {
      const expected =
        strategy === "delete"
          ? await deleteThreads(model, pruned)
          : await prune(model, { threads: pruned, keepLast: 1, aged: false });
      const report = await saver.prune(pruned, { strategy, deleteUnproven: true });
      expect(report).toMatchObject({ ...expected, dryRun: false });
      await expectSameRows(model, saver);
    }),
  );

const HOUR_MS = 60 * 60 * 1000;

/** Runs as a dry run first, which must report the same. */
const retention = fc
  .record({
    keepLast: weighted<number | undefined>([2, 4], [1, 2], [3, 1], [undefined, 1]),
    aged: weighted([false, 2], [true, 1]),
    threads: sometimes(threads),
    namespaces: sometimes(namespaces),
    batchSize: fc.constantFrom(1, 2, 500),
  })
  .filter(({ keepLast, aged }) => aged || keepLast !== undefined)
  .map((call) =>
    step("prune", call, async ({ aged, batchSize, ...rule }, model, saver) => {
      const options = { ...rule, ...(aged && { olderThanMs: HOUR_MS }), batchSize, deleteUnproven: true };
      const wouldGo = await saver.prune({ ...options, dryRun: true });
      await expectSameRows(model, saver);
      const keepLast = rule.keepLast ?? 1;
      const expected = await prune(model, { ...definedOf(rule), keepLast, aged });
      const report = await saver.prune(options);
      expect(report).toMatchObject({ ...expected, dryRun: false });
      expect(wouldGo).toEqual({ ...report, dryRun: true });
      await expectSameRows(model, saver);
    }),
  );

/** Keeps threads whose newest checkpoint is a recent fork; all other checkpoints are old. */
const idleness = fc.record({ threads: sometimes(threads) }).map((call) =>
  step("prune idle threads", call, async ({ threads: some }, model, saver) => {
    const options = { idleForMs: HOUR_MS, threads: some };
    const wouldGo = await saver.prune({ ...options, dryRun: true });
    await expectSameRows(model, saver);
    const stored = await listThreads(model, {});
    const idle = stored.filter(({ updatedAt }) => (updatedAt?.getTime() ?? NaN) < Date.now() - HOUR_MS);
    const ids = idle.map(({ threadId }) => threadId).filter((id) => some?.includes(id) !== false);
    const expected = await deleteThreads(model, ids);
    const report = await saver.prune(options);
    expect(report).toMatchObject({ ...expected, dryRun: false });
    expect(wouldGo).toEqual({ ...report, dryRun: true });
    await expectSameRows(model, saver);
  }),
);

function definedOf({
  threads: some,
  namespaces: named,
}: OptionalScope): Pick<Retention, "threads" | "namespaces"> {
  return { ...(some && { threads: some }), ...(named && { namespaces: named }) };
}

interface OptionalScope {
  readonly threads: readonly string[] | undefined;
  readonly namespaces: readonly string[] | undefined;
}

/** The time of all checkpoints whose ids contain none, a time before it, and one between it and the time of forks. */
const TIMES = ["2026-01-02T03:04:05.678Z", "2026-01-01T00:00:00.000Z", "2026-01-03T00:00:00.000Z"];

const threadList = fc
  .record(
    {
      after: fc.constantFrom("s", "s", "t1", "t2"),
      limit: fc.constantFrom(0, 1, 2, 3, 3),
      filter: fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: filter }),
      updatedAfter: fc.constantFrom(...TIMES).map((time) => new Date(time)),
    },
    { requiredKeys: [] },
  )
  .map((query) =>
    step("listThreads", query, async (_, model, saver) => {
      expect(await saver.listThreads(query)).toEqual(await listThreads(model, query));
    }),
  );

const tree = fc
  .record({ ...place, limit: sometimes(fc.integer({ min: 1, max: 3 })), before: sometimes(id) })
  .map((call) =>
    step("history", call, async ({ thread, ns, limit, before }, model, saver) => {
      const page = { limit, before: model.idOf(before) };
      const actual = await saver.history(thread, { ...page, ...(ns !== undefined && { checkpointNs: ns }) });
      expect(actual).toEqual(await history(model, { thread, ns: ns ?? "" }, page));
    }),
  );

/** Steps that change or delete whole threads. */
export const lifeStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: copy },
  { weight: 1, arbitrary: runs },
  { weight: 2, arbitrary: pruning },
  { weight: 3, arbitrary: retention },
  { weight: 1, arbitrary: idleness },
);

/** Steps that read whole threads. */
export const lookStep: fc.Arbitrary<Step> = fc.oneof(threadList, tree);
