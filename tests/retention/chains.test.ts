import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { type CheckpointDatabase, PostgresSaver, ShallowPostgresSaver } from "../../src/index.js";
import { brokenSplices, chainValues, insertValue, storedVersions } from "../../test-support/chains.js";
import {
  allVersions,
  checkpointOf,
  metadataOf,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { untilItWaits } from "../../test-support/held-locks.js";
import { incompressibleText } from "../../test-support/spliced-values.js";
import { describeEachTarget, describeServer, type TestDatabase } from "../../test-support/targets.js";
import { HOUR, hoursAgo, putLine } from "./put-line.js";
import { rowsOf } from "./stored-rows.js";

const HOURS = [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1];
const pick = (versions: readonly string[], ...numbers: number[]) => numbers.map((at) => versions[at]);

describeEachTarget("retention of values that are splices of others", (target) => {
  let database: TestDatabase;
  let saver: PostgresSaver;

  beforeEach(async () => {
    database = await target.sharedDatabase();
    saver = new PostgresSaver(database.source);
  });
  afterEach(() => saver.end());

  it("keeps exactly the chain of what prune keeps, counts it in a dry run, and deletes nothing more later (C13)", async () => {
    for (const ns of ["", "child"]) await putLine(saver, "t", hoursAgo(...HOURS), { ns });
    const versions = await chainValues(database, "t");
    await putLine(saver, "whole", hoursAgo(...HOURS));

    const wouldDelete = await saver.prune({ keepLast: 1, dryRun: true });
    expect(wouldDelete).toMatchObject({ checkpoints: 33, blobs: 8 + 11 + 11 });
    expect(await saver.prune({ keepLast: 1 })).toEqual({ ...wouldDelete, dryRun: false });

    // 11 refers to 10, which refers to 8, which refers to 0.
    expect(await storedVersions(database, "t")).toEqual(pick(versions, 0, 8, 10, 11));
    expect(await storedVersions(database, "t", { channel: "shared" })).toHaveLength(1);
    const nothing = { checkpoints: 0, blobs: 0, bytes: 0 };
    expect(await saver.prune({ keepLast: 1, dryRun: true })).toMatchObject(nothing);
    expect(await saver.prune({ keepLast: 1 })).toMatchObject(nothing);
    expect(await storedVersions(database, "t")).toEqual(pick(versions, 0, 8, 10, 11));
  });

  it("keeps the chains of all checkpoints that stay, and deletes values whose chain nothing needs (C13)", async () => {
    await putLine(saver, "t", hoursAgo(...HOURS));
    const versions = await chainValues(database, "t");
    await insertValue(database, "t", "stray whole");
    await insertValue(database, "t", "stray splice", { base: "stray whole" });
    await insertValue(database, "t", "stray splice of a needed value", { base: versions[0] ?? "" });

    const wouldDelete = await saver.prune({ keepLast: 3, dryRun: true, deleteUnproven: true });
    const report = await saver.prune({ keepLast: 3, deleteUnproven: true });

    expect(report).toEqual({ ...wouldDelete, dryRun: false });
    expect(await storedVersions(database, "t")).toEqual(pick(versions, 0, 8, 9, 10, 11));
    await saver.prune({ keepLast: 2 });
    expect(await storedVersions(database, "t")).toEqual(pick(versions, 0, 8, 10, 11));
  });

  it("doesn't take a version of another channel or namespace for a base", async () => {
    await putLine(saver, "t", hoursAgo(3, 2, 1));
    const versions = await chainValues(database, "t");
    for (const place of [{ channel: "other" }, { ns: "elsewhere" }]) {
      await insertValue(database, "t", versions[0] ?? "", place);
    }
    await saver.prune({ keepLast: 1, deleteUnproven: true });
    expect(await storedVersions(database, "t")).toEqual(pick(versions, 0, 2));
    expect(await storedVersions(database, "t", { channel: "other" })).toEqual([]);
    expect(await storedVersions(database, "t", { ns: "elsewhere" })).toEqual([]);
  });

  it("deletes runs, and keeps the values that the values of other runs need (C13)", async () => {
    await putLine(saver, "t", hoursAgo(...HOURS), { run: (n) => (n % 3 === 0 ? "third" : "other") });
    const versions = await chainValues(database, "t");

    const wouldDelete = await saver.deleteForRuns(["other"], { dryRun: true });
    expect(await saver.deleteForRuns(["other"])).toEqual({ ...wouldDelete, dryRun: false });

    // Of 0, 3, 6 and 9: 3 refers to 2, 6 to 4, and 9 to 8, which refer to 0.
    expect(await storedVersions(database, "t")).toEqual(pick(versions, 0, 2, 3, 4, 6, 8, 9));
    await saver.deleteForRuns(["third"]);
    expect(await storedVersions(database, "t")).toEqual([]);
  });

  it.each<[string, (saver: PostgresSaver) => Promise<unknown>]>([
    ["deleteThread", (each) => each.deleteThread("t")],
    ['prune with "delete"', (each) => each.prune(["t"], { strategy: "delete" })],
    ["prune of idle threads", (each) => each.prune({ idleForMs: HOUR / 2 })],
  ])("leaves nothing of a thread that %s deletes", async (_name, deletion) => {
    await putLine(saver, "t", hoursAgo(...HOURS));
    await chainValues(database, "t");
    await insertValue(database, "t", "stray", { base: "not stored" });
    await deletion(saver);
    expect(await rowsOf(database)).toMatchObject({ checkpoints: 0, blobs: 0, writes: 0 });
  });

  it("never leaves a splice without its base when it stops between two transactions (C13)", async () => {
    await putLine(saver, "t", hoursAgo(2, 1));
    // In the order of the index, each base comes before the values that need it.
    await database.exec(
      `insert into checkpoint_blobs
        select 't', '', 'list', 'stray ' || to_char(n, 'FM000000'), 'msgpack-splice', '',
          case when n > 0 then 'stray ' || to_char(n - (n & -n), 'FM000000') end, 1
        from generate_series(0, 10005) as n`,
    );
    const controller = new AbortController();
    const pruned = saver.prune({
      keepLast: 2,
      deleteUnproven: true,
      signal: controller.signal,
      onProgress: ({ blobs }) => {
        if (blobs === 10_000) controller.abort();
      },
    });
    await expect(pruned).rejects.toMatchObject({ code: "ABORTED" });
    expect(await storedVersions(database, "t")).toHaveLength(2 + 6);
    expect(await brokenSplices(database)).toEqual([]);
    expect(await saver.prune({ keepLast: 2, deleteUnproven: true })).toMatchObject({ blobs: 6 });
  });

  it("keeps the chain of the newest checkpoint of a shallow saver, and deletes it with its last use (C13)", async () => {
    const shallow = new ShallowPostgresSaver(database.source);
    const first = await putValues(shallow, threadConfig("t"), { list: ["first"], note: ["a"] });
    const [head = ""] = await storedVersions(database, "t");
    await insertValue(database, "t", "root");
    await insertValue(database, "t", "then base", { base: "root" });
    await insertValue(database, "t", "stray", { base: "then base" });
    await database.query(
      "update checkpoint_blobs set base = 'then base', type = 'msgpack-splice' where version = $1 and channel = 'list'",
      [head],
    );
    const put = async (parent: typeof first, changed: "list" | "note") => {
      const next = checkpointOf(shallow, { [changed]: ["next"] }, parent.checkpoint);
      const versions = { [changed]: next.channel_versions[changed] ?? "" };
      return { checkpoint: next, config: await shallow.put(parent.config, next, metadataOf(), versions) };
    };

    const second = await put(first, "note");
    expect(await storedVersions(database, "t")).toEqual([head, "root", "then base"]);
    expect(await storedVersions(database, "t", { channel: "note" })).toHaveLength(1);
    await put(second, "list");
    expect(await storedVersions(database, "t")).toHaveLength(1);
    expect(await storedVersions(database, "t")).not.toContain(head);
    await shallow.deleteThread("t");
    expect(await rowsOf(database)).toMatchObject({ blobs: 0 });
    await shallow.end();
  });

  it("isn't needed by a shallow saver on tables without the columns of splices", async () => {
    const old = await target.migratedDatabase();
    await using shallow = new ShallowPostgresSaver(old.source);
    await old.exec("alter table checkpoint_blobs drop column base, drop column whole_bytes");
    const { config, checkpoint } = await putValues(shallow, threadConfig("t"), { list: ["first"] });
    await putValues(shallow, config, { list: ["second"] }, checkpoint);
    expect((await shallow.getTuple(threadConfig("t")))?.checkpoint.channel_values).toEqual({
      list: ["second"],
    });
    expect(await rowsOf(old)).toMatchObject({ checkpoints: 1, blobs: 1 });
    await shallow.deleteThread("t");
    expect(await rowsOf(old)).toMatchObject({ checkpoints: 0, blobs: 0 });
  });
});

describeServer("a deletion during a put of a splice", (target) => {
  const deletions: Record<string, (saver: PostgresSaver, source: string) => Promise<unknown>> = {
    prune: (saver) => saver.prune(["t"]),
    deleteForRuns: (saver) => saver.deleteForRuns(["old"]),
    deleteThread: (saver) => saver.deleteThread("t"),
    "the put of a shallow saver": async (_saver, source) => {
      await using shallow = new ShallowPostgresSaver(source);
      await putValues(shallow, threadConfig("t"), { note: ["shallow"] });
    },
  };
  it.each(Object.entries(deletions))(
    "waits, and keeps the base, when it is %s (C13)",
    async (_name, deletion) => {
      const database = await target.sharedDatabase();
      await using saver = new PostgresSaver(database.source, undefined, { retry: false });
      const long = incompressibleText(6_000);
      // Only checkpoints that are deleted reference the base.
      const old = checkpointOf(saver, { list: [long] });
      const config = await saver.put(
        threadConfig("t"),
        old,
        metadataOf(0, { run_id: "old" }),
        allVersions(old),
      );
      const [base = ""] = await storedVersions(database, "t");
      await putValues(saver, threadConfig("t"), { note: ["head"] });

      const { work, next } = await database
        .kysely<CheckpointDatabase>()
        .transaction()
        .execute(async (transaction) => {
          const writer = new PostgresSaver(transaction, undefined, { splices: true });
          await writer.getTuple(config);
          const { checkpoint } = await putValues(writer, config, { list: [long, "next"] }, old);
          const deleting = deletion(saver, database.source);
          await untilItWaits(database, deleting);
          return { work: deleting, next: checkpoint };
        });
      await work;

      expect(await brokenSplices(database)).toEqual([]);
      const headers = await database.query("select from checkpoints where checkpoint_id = $1", [next.id]);
      const versions = [base, String(next.channel_versions.list)];
      expect(await storedVersions(database, "t")).toEqual(headers.length === 0 ? [] : versions);
    },
  );
});
