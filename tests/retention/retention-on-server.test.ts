import { expect, it } from "@jest/globals";
import { Kysely, PostgresDialect, sql } from "kysely";
import pg from "pg";
import { beforeChildrenOf } from "../../src/retention/delete-checkpoints.js";
import { deleteCheckpointRows } from "../../src/retention/queries/deleted-checkpoints.js";
import { type CheckpointDatabase, PostgresSaver, type RetentionOptions } from "../../src/index.js";
import { allVersions, checkpointOf, metadataOf, threadConfig } from "../../test-support/checkpoints.js";
import { memoryArchive } from "../../test-support/memory-archive.js";
import { observedPool } from "../../test-support/round-trips.js";
import { describeServer, onOneServer } from "../../test-support/targets.js";
import { idAt } from "./id-at.js";
import { HOUR, hoursAgo, putLine } from "./put-line.js";

describeServer("retention of many threads", (target) => {
  onOneServer("each thread has its statements", it)(
    "finds the candidates of many threads with few statements, also when there are none",
    async () => {
      const database = await target.createDatabase();
      const { pool, sent } = observedPool(database.source);
      const saver = new PostgresSaver(pool);
      await saver.setup();
      const now = Date.now();
      const counted = { counters_since_delta_snapshot: { delta: [1, 1] } };
      const putAll = (n: number) =>
        saver.batch(async (batch) => {
          for (let thread = 0; thread < 60; thread++) {
            const ids = [idAt(now - HOUR, thread), idAt(now, thread)];
            const config = threadConfig(`t${thread}`, {
              checkpoint_ns: "",
              checkpoint_id: n > 0 ? ids[0] : undefined,
            });
            const checkpoint = { ...checkpointOf(saver, { list: [n] }), id: ids[n] ?? "" };
            const metadata = metadataOf(n, { run_id: "run", ...(thread % 2 === 0 && counted) });
            const stored = await batch.put(config, checkpoint, metadata, allVersions(checkpoint));
            await batch.putWrites(stored, [["delta", [n]]], "task");
          }
        });
      await putAll(0);
      const counts: Record<string, number> = {};
      const send = async <Report>(name: string, call: () => Promise<Report>) => {
        sent.length = 0;
        const report = await call();
        counts[name] = sent.length;
        return report;
      };
      const prune = (name: string, options: RetentionOptions) => send(name, () => saver.prune(options));

      // The first call asks whether Citus distributes the tables.
      await saver.prune({ keepLast: 1 });
      expect(await prune("nothing", { keepLast: 1 })).toMatchObject({ checkpoints: 0 });
      await prune("nothing, dry run", { keepLast: 1, dryRun: true });
      await putAll(1);
      await prune("nothing so old", { olderThanMs: 9 * HOUR, dryRun: true });
      const some = await prune("some", { keepLast: 1, dryRun: true });
      // Checkpoints of delta channels are kept.
      expect(some).toMatchObject({ checkpoints: 30, writes: 30, blobs: 30, threads: 30 });
      await prune("some so old", { olderThanMs: HOUR / 2, dryRun: true });
      // On several pages of namespaces, a thread counts once.
      await database.exec(
        `insert into checkpoints (thread_id, checkpoint_ns, checkpoint_id, checkpoint, metadata)
          select thread_id, 'sub', checkpoint_id, checkpoint, metadata from checkpoints`,
      );
      const run = await send("a run", () => saver.deleteForRuns(["run"], { dryRun: true }));
      expect(run).toMatchObject({ checkpoints: 240, threads: 60, namespaces: 120 });
      await database.exec(
        "insert into checkpoint_blobs (thread_id, channel, version, type) values ('t9', 'list', '', 'empty')",
      );
      expect(await prune("an orphan", { keepLast: 9 })).toMatchObject({ unproven: { blobs: 1 } });
      expect(counts).toEqual({
        ...{ nothing: 7, "nothing, dry run": 7, "nothing so old": 8, some: 16, "some so old": 16 },
        ...{ "a run": 27, "an orphan": 7 },
      });
      await saver.end();
      await pool.end();
    },
  );
});

describeServer("pruning a long namespace", (target) => {
  it("reads only newer checkpoints again for each transaction, by the index; a short one reads all", async () => {
    const database = await target.migratedDatabase();
    await database.exec(`
      insert into checkpoints (thread_id, checkpoint_id, parent_checkpoint_id, checkpoint)
        select 't', lpad(n::text, 6, '0'), lpad((n - 1)::text, 6, '0'), '{}' from generate_series(1, 5000) as n;
      analyze checkpoints`);
    const ids = Array.from({ length: 500 }, (_, n) => String(3000 + n).padStart(6, "0"));
    const planOf = (deletableIds: readonly string[]) => ({
      ...{ key: { threadId: "t", checkpointNs: "" }, deletableIds },
      ...{ children: new Map(), keptSenders: new Set<string>() },
    });
    const beforeChildren = beforeChildrenOf(planOf(Array.from({ length: 5_000 }, String)), ids);
    expect(beforeChildrenOf(planOf(ids), ids)).toBe("");
    const { sql: text, parameters } = deleteCheckpointRows.bind("public", {
      ...{ threadId: "t", checkpointNs: "", checkpointIds: ids, beforeChildren },
      ...{ knownIds: [], knownVersions: [], keptSenders: [] },
    });
    const plan = await database.query<{ "QUERY PLAN": string }>(`explain ${text}`, [...parameters]);
    const lines = plan.map((line) => line["QUERY PLAN"]);
    expect(lines.filter((line) => line.includes("Seq Scan on checkpoints"))).toEqual([]);
    expect(lines.join("\n")).toMatch(/Index Cond: .*checkpoint_id > '003000'/);
  });
});

describeServer("retention in a passed-in transaction", (target) => {
  async function kyselyOn({ source }: { readonly source: string }) {
    const pool = new pg.Pool({ connectionString: source, max: 2 });
    await new PostgresSaver(pool).setup();
    await putLine(new PostgresSaver(pool), "t", hoursAgo(3, 2, 1));
    return new Kysely<CheckpointDatabase>({ dialect: new PostgresDialect({ pool }) });
  }

  it("takes effect when the owner commits", async () => {
    const kysely = await kyselyOn(await target.createDatabase());
    const failure = new Error("rolled back");
    const prune = (fails: boolean) =>
      kysely.transaction().execute(async (transaction) => {
        const { checkpoints } = await new PostgresSaver(transaction).prune(["t"]);
        if (fails) throw failure;
        return checkpoints;
      });
    await expect(prune(true)).rejects.toBe(failure);
    expect(await prune(false)).toBe(2);
    await kysely.destroy();
  });

  it("lets the owner's later statements be compiled as before (C12)", async () => {
    const kysely = await kyselyOn(await target.createDatabase());
    const jit = await kysely.transaction().execute(async (transaction) => {
      await sql`set local jit = on`.execute(transaction);
      await new PostgresSaver(transaction).prune(["t"]);
      const { rows } = await sql<{ jit: string }>`show jit`.execute(transaction);
      return rows[0]?.jit;
    });
    expect(jit).toBe("on");
    await kysely.destroy();
  });

  it.each([
    ["prune", (saver: PostgresSaver) => saver.prune(["t"])],
    ["deleteThread", (saver: PostgresSaver) => saver.deleteThread("t")],
    ["archive", (saver: PostgresSaver) => saver.archive({ keepLast: 1, to: memoryArchive() })],
    [
      "archive of a thread",
      (saver: PostgresSaver) => saver.archive({ strategy: "delete", threads: ["t"], to: memoryArchive() }),
    ],
  ] as const)(
    "refuses %s in a transaction whose isolation level hides concurrent puts (C11)",
    async (_name, call) => {
      const kysely = await kyselyOn(await target.createDatabase());
      const refused = kysely
        .transaction()
        .setIsolationLevel("repeatable read")
        .execute(async (transaction) => {
          await call(new PostgresSaver(transaction));
        });
      await expect(refused).rejects.toMatchObject({ code: "INVALID_CONFIG", field: "source" });
      await kysely.destroy();
    },
  );
});
