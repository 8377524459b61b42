import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { type HiddenRowsError, PostgresSaver } from "../../src/index.js";
import { collect, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { memoryArchive } from "../../test-support/memory-archive.js";
import { recordPool } from "../../test-support/recorded-pool.js";
import { describeServer, onOneServer, type TestDatabase } from "../../test-support/targets.js";
import { NO_ROW_SECURITY, urlOf } from "../tenants/tenancy.js";
import { hoursAgo, putLine } from "./put-line.js";
import { rowsOf } from "./stored-rows.js";

onOneServer(NO_ROW_SECURITY, describeServer)("a role from which row security hides rows", (target) => {
  let database: TestDatabase<string>;
  let saver: PostgresSaver;
  let limited: PostgresSaver;
  let keeping: PostgresSaver;
  const ROLE = `limited_${process.pid}`;

  beforeEach(async () => {
    database = await target.migratedDatabase();
    saver = new PostgresSaver(database.source);
    await putLine(saver, "t", hoursAgo(4, 3, 2, 1), { run: () => "run" });
    await database.exec(`
      do $$ begin create role ${ROLE} login password 'secret'; exception when duplicate_object then null; end $$;
      grant usage on schema public to ${ROLE};
      grant select, insert, update, delete on all tables in schema public to ${ROLE}`);
    limited = new PostgresSaver(urlOf(database.source, ROLE), undefined, { retry: false });
    keeping = new PostgresSaver(urlOf(database.source, ROLE), undefined, { keepLast: 1 });
  });
  afterEach(async () => {
    await limited.end();
    await keeping.end();
    await saver.end();
    await database.exec(`drop owned by ${ROLE}; drop role ${ROLE}`);
  });

  const hide = (table: string, condition: string) =>
    database.exec(
      `alter table ${table} enable row level security; create policy hiding on ${table} using (${condition})`,
    );

  describe.each<[string, readonly [table: string, condition: string, isActive?: boolean][]]>([
    ["of one table", [["checkpoints", "false"]]],
    ["of one table in part", [["checkpoints", "metadata ->> 'step' <> '3'"]]],
    [
      "by a column that other tables don't have",
      ["checkpoints", "checkpoint_blobs", "checkpoint_writes"].map((table) => [table, "type is not null"]),
    ],
    [
      "of all tables, unlike",
      [
        ["checkpoints", "false"],
        ["checkpoint_blobs", "true"],
        ["checkpoint_writes", "true"],
      ],
    ],
    [
      "of two tables, where the third one has the same policy and ignores it",
      [
        ["checkpoints", "thread_id <> 'u'"],
        ["checkpoint_blobs", "thread_id <> 'u'"],
        ["checkpoint_writes", "thread_id <> 'u'", false],
      ],
    ],
  ])("%s", (_name, policies) => {
    it("is refused by what deletes orphans, and by an export", async () => {
      for (const [table, condition, isActive = true] of policies) {
        await hide(table, condition);
        if (!isActive) await database.exec(`alter table ${table} disable row level security`);
      }
      const tables = policies.flatMap(([table, , isActive]) => (isActive === false ? [] : [table]));
      const before = await rowsOf(database);
      const calls: Record<string, () => Promise<unknown>> = {
        prune: () => limited.prune({ keepLast: 1 }),
        "dry run": () => limited.prune({ keepLast: 1, dryRun: true }),
        flag: () => limited.prune({ keepLast: 1, deleteUnproven: true }),
        idle: () => limited.prune({ idleForMs: 0 }),
        delete: () => limited.prune(["t"], { strategy: "delete" }),
        deleteForRuns: () => limited.deleteForRuns(["run"]),
        archive: () => limited.archive({ keepLast: 1, to: memoryArchive() }),
        "archive of threads": () =>
          limited.archive({ strategy: "delete", threads: ["t"], to: memoryArchive() }),
        "archive of idle threads": () => limited.archive({ idleForMs: 0, to: memoryArchive() }),
        export: () => collect(limited.exportThreads()),
        "put that keeps the newest": () => putValues(keeping, threadConfig("t"), { list: [9] }),
      };
      for (const [name, call] of Object.entries(calls)) {
        const error: unknown = await call().catch((reason: unknown) => reason);
        expect({ name, error }).toMatchObject({ error: { code: "ROWS_HIDDEN" } });
        expect([...(error as HiddenRowsError).tables].sort()).toEqual(tables.sort());
      }
      expect(await rowsOf(database)).toEqual(before);
    });
  });

  it("is asked for once by puts that keep the newest checkpoints", async () => {
    await using recording = recordPool(urlOf(database.source, ROLE));
    const saving = new PostgresSaver(recording.pool, undefined, { keepLast: 1 });
    const first = await putValues(saving, threadConfig("t"), { list: [9] });
    await putValues(saving, first.config, { list: [10] }, first.checkpoint);
    expect(recording.sent.filter(({ text }) => text.includes("pg_policy"))).toHaveLength(1);
  });

  it("works where the policies hide whole threads", async () => {
    for (const table of ["checkpoints", "checkpoint_blobs", "checkpoint_writes"])
      await hide(table, "thread_id = 't'");
    await putLine(saver, "hidden", hoursAgo(4, 3));
    expect(await limited.prune({ keepLast: 1 })).toMatchObject({ checkpoints: 3, blobs: 3, threads: 1 });
    const lines = await collect(limited.exportThreads());
    expect(lines.join("")).not.toContain("hidden");
  });
});
