import { afterEach, beforeEach, expect, it, jest } from "@jest/globals";
import fc from "fast-check";
import { PostgresSaver } from "../../src/index.js";
import { brokenSplices, chainValues } from "../../test-support/chains.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { runs } from "../../test-support/runs.js";
import { describeAnyTarget, describeServer, type TestDatabase } from "../../test-support/targets.js";
import { until } from "../../test-support/until.js";
import { memoryArchive } from "../../test-support/memory-archive.js";
import { HOUR, hoursAgo, putLine } from "./put-line.js";
import { missingBlobs, orphanedBlobs, rowsOf } from "./stored-rows.js";

/** Ways to damage the versions of a header, as SQL about a row of `checkpoints`. */
const DAMAGES = [
  "jsonb_set(checkpoint, '{channel_versions}', '[]')",
  "jsonb_set(checkpoint, '{channel_versions}', 'null')",
  "jsonb_set(checkpoint, '{channel_versions,list}', 'null')",
  `jsonb_set(checkpoint, '{channel_versions,list}', '{"a": 1}')`,
  "jsonb_set(checkpoint, '{channel_versions,list}', 'true')",
  "checkpoint - 'channel_versions'",
  "'null'",
  `'"text"'`,
];

const now = performance.now.bind(performance);

function isHoursLater(hours: number): void {
  jest.spyOn(performance, "now").mockImplementation(() => now() + hours * HOUR);
}

/** A look counts rows only once all earlier transactions of the server have ended, also those of other tests. */
function areAllCommitted(database: TestDatabase): Promise<void> {
  return until(async () => {
    const [row] = await database.query(
      `select pg_snapshot_xmin(pg_current_snapshot())::text::bigint > max(xmin::text::bigint) as done from (
        select xmin from checkpoint_blobs union all select xmin from checkpoint_writes) as each`,
    );
    return row?.done === true;
  });
}

describeAnyTarget("what prune takes for an orphan", (target) => {
  let database: TestDatabase;
  let saver: PostgresSaver;

  beforeEach(async () => {
    database = await target.sharedDatabase();
    saver = new PostgresSaver(database.source);
    await database.exec("drop table if exists taken; create table taken (like checkpoints)");
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await saver.end();
  });

  /** Takes headers away, as a restore that has not stored them yet. */
  const take = (where: string) =>
    database.exec(
      `insert into taken select * from checkpoints where ${where}; delete from checkpoints where ${where}`,
    );
  const bringBack = () =>
    database.exec("insert into checkpoints select * from taken on conflict do nothing; truncate taken");
  it("isn't what belongs to checkpoints that are still to come, in a namespace with and without others", async () => {
    for (const thread of ["none", "some"]) await putLine(saver, thread, hoursAgo(5, 4, 3, 2));
    await putLine(saver, "some", hoursAgo(2), { ns: "sub" });
    const before = await rowsOf(database);
    await take("thread_id = 'none' or metadata ->> 'step' = '2'");

    const wouldDelete = await saver.prune({ olderThanMs: HOUR * 999, keepLast: 10, dryRun: true });
    const report = await saver.prune({ olderThanMs: HOUR * 999, keepLast: 10 });

    expect(report).toEqual({ ...wouldDelete, dryRun: false });
    expect(report).toMatchObject({ blobs: 0, writes: 0, unproven: { blobs: 6, writes: 5 } });
    expect(report.unproven.bytes).toBeGreaterThan(0);
    expect(report.unproven.namespaces).toEqual([
      { threadId: "none", checkpointNs: "", blobs: 5, writes: 4, reason: "no-checkpoint" },
      { threadId: "some", checkpointNs: "", blobs: 1, writes: 1, reason: "recent" },
    ]);
    await bringBack();
    expect(await rowsOf(database)).toEqual(before);
    expect(await saver.prune({ keepLast: 10 })).toMatchObject({
      unproven: { blobs: 0, writes: 0, namespaces: [] },
    });
  });

  it.each(DAMAGES)("isn't what a damaged header may reference: %s", async (damage) => {
    const ids = hoursAgo(4, 3, 2, 1);
    await putLine(saver, "t", ids, { run: (n) => `run ${n}` });
    const { blobs } = await rowsOf(database);
    await database.query(`update checkpoints set checkpoint = ${damage} where checkpoint_id = $1`, [ids[3]]);

    expect(await saver.prune({ keepLast: 2 })).toMatchObject({
      checkpoints: 2,
      blobs: 0,
      unproven: { namespaces: [{ threadId: "t", checkpointNs: "", reason: "unreadable" }] },
    });
    expect(await saver.deleteForRuns(["run 2"])).toMatchObject({
      blobs: 0,
      unproven: { namespaces: [{ reason: "unreadable" }] },
    });
    const flagged = await saver.prune({ keepLast: 1, deleteUnproven: true });
    expect(flagged).toMatchObject({
      ...{ checkpoints: 0, blobs: 0 },
      unproven: { namespaces: [{ reason: "unreadable" }] },
    });
    const kept = new PostgresSaver(database.source, undefined, { keepLast: 2 });
    await putValues(kept, threadConfig("t"), { other: [1] });
    expect(await rowsOf(database)).toMatchObject({ blobs: Number(blobs) + 1 });
    await kept.end();
  });

  it("is what was there an hour ago, where the thread has a checkpoint", async () => {
    await putLine(saver, "t", hoursAgo(4, 3, 2));
    await putLine(saver, "gone", hoursAgo(4, 3, 2));
    await database.exec("delete from checkpoints where thread_id = 'gone' or metadata ->> 'step' <> '2'");
    await areAllCommitted(database);
    expect(await saver.prune({ keepLast: 5 })).toMatchObject({ blobs: 0, writes: 0 });
    isHoursLater(1);
    // This look comes after the rows.
    expect(await saver.prune({ keepLast: 5, dryRun: true })).toMatchObject({ blobs: 2, writes: 2 });
    await database.exec(
      "insert into checkpoint_blobs (thread_id, channel, version, type) values ('t', 'list', 'new', 'empty')",
    );
    expect(await saver.prune({ keepLast: 5 })).toMatchObject({
      blobs: 0,
      writes: 2,
      unproven: { blobs: 7, writes: 3 },
    });
    // The look of an hour ago came before the new value.
    await areAllCommitted(database);
    isHoursLater(2);
    expect(await saver.prune({ keepLast: 5 })).toMatchObject({ blobs: 0 });
    isHoursLater(3);
    expect(await saver.prune({ keepLast: 5 })).toMatchObject({ blobs: 3, unproven: { blobs: 4, writes: 3 } });
    expect((await saver.prune({ keepLast: 5 })).unproven.namespaces).toMatchObject([{ threadId: "gone" }]);
    expect(await saver.prune({ keepLast: 5, deleteUnproven: true })).toMatchObject({ blobs: 4, writes: 3 });
    expect(await orphanedBlobs(database)).toEqual([]);
  });

  it("isn't archived either", async () => {
    await putLine(saver, "t", hoursAgo(4, 3, 2, 1));
    await take("metadata ->> 'step' = '1'");
    const report = await saver.archive({ keepLast: 1, to: memoryArchive() });
    expect(report).toMatchObject({ checkpoints: 2, unproven: { blobs: 1, writes: 1 } });
    await bringBack();
    expect(await missingBlobs(database)).toEqual([]);
  });

  it("is never a value that a header references which is seen later (C18)", async () => {
    const trouble = fc.record({
      hours: fc.integer({ min: 1, max: 6 }),
      isChained: fc.boolean(),
      taken: fc.array(fc.nat(5)),
      damaged: fc.array(fc.tuple(fc.nat(5), fc.nat(DAMAGES.length - 1)), { maxLength: 2 }),
      keepLast: fc.integer({ min: 1, max: 7 }),
      isArchived: fc.boolean(),
    });
    let thread = 0;
    await fc.assert(
      fc.asyncProperty(trouble, async ({ hours, isChained, taken, damaged, keepLast, isArchived }) => {
        const id = `law ${thread++}`;
        const ids = hoursAgo(...Array.from({ length: hours }, (_, at) => hours - at));
        await putLine(saver, id, ids);
        if (isChained) await chainValues(database, id);
        const isMine = `thread_id = '${id}'`;
        await database.exec(`create table whole as select * from checkpoints where ${isMine}`);
        const names = taken.flatMap((at) => (ids[at] === undefined ? [] : [`'${ids[at]}'`]));
        if (names.length > 0) await take(`${isMine} and checkpoint_id in (${names.join(", ")})`);
        const damages = damaged.flatMap(([at, which]) =>
          ids[at] === undefined ? [] : [[ids[at], which] as const],
        );
        for (const [one, which] of damages) {
          await database.query(
            `update checkpoints set checkpoint = ${DAMAGES[which] ?? "checkpoint"} where ${isMine} and checkpoint_id = $1`,
            [one],
          );
        }

        const rule = { keepLast, threads: [id] };
        if (isArchived) await saver.archive({ ...rule, to: memoryArchive() });
        else await saver.prune(rule);

        await bringBack();
        await database.exec(`
          update checkpoints c set checkpoint = w.checkpoint from whole w
            where c.thread_id = w.thread_id and c.checkpoint_ns = w.checkpoint_ns and c.checkpoint_id = w.checkpoint_id;
          drop table whole`);
        expect(await missingBlobs(database)).toEqual([]);
        expect(await brokenSplices(database)).toEqual([]);
      }),
      runs(25),
    );
  });
});

describeServer("what was there an hour ago on another server", (target) => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it("isn't an orphan, since transactions mean nothing there", async () => {
    const database = await target.migratedDatabase();
    // Stands in for the function that tells when the server was started.
    await database.exec(`
      create table server as select now() as started;
      create function pg_postmaster_start_time() returns timestamptz language sql as 'select started from server';
      do $$ begin execute format('alter database %I set search_path = public, pg_catalog', current_database()); end $$`);
    await using saver = new PostgresSaver(database.source);
    await putLine(saver, "t", hoursAgo(4, 3, 2));
    await database.exec("delete from checkpoints where metadata ->> 'step' <> '2'");
    await areAllCommitted(database);
    const kept = { blobs: 0, writes: 0, unproven: { blobs: 2, writes: 2 } };
    expect(await saver.prune({ keepLast: 5 })).toMatchObject(kept);
    await database.exec("update server set started = started + interval '1 second'");
    isHoursLater(1);
    expect(await saver.prune({ keepLast: 5 })).toMatchObject(kept);
    isHoursLater(2);
    expect(await saver.prune({ keepLast: 5 })).toMatchObject({ blobs: 2, writes: 2 });
  });
});
