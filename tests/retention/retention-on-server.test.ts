import { expect, it } from "@jest/globals";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
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
      const { pool, sent } = observedPool((await target.createDatabase()).source);
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
            const metadata = metadataOf(n, thread % 2 === 0 ? counted : {});
            const stored = await batch.put(config, checkpoint, metadata, allVersions(checkpoint));
            await batch.putWrites(stored, [["delta", [n]]], "task");
          }
        });
      await putAll(0);
      const send = async (options: RetentionOptions) => {
        sent.length = 0;
        const report = await saver.prune(options);
        return { report, statements: sent.length };
      };

      // The first call asks whether Citus distributes the tables.
      await saver.prune({ keepLast: 1 });
      const nothing = await send({ keepLast: 1 });
      expect(nothing).toMatchObject({ report: { checkpoints: 0 }, statements: 7 });
      await putAll(1);
      const some = await send({ keepLast: 1, dryRun: true });
      // Checkpoints of delta channels are kept.
      expect(some.report).toMatchObject({ checkpoints: 30, writes: 30, blobs: 30, threads: 30 });
      expect(some.statements).toBe(17);
      expect((await send({ olderThanMs: HOUR / 2, dryRun: true })).statements).toBe(17);
      await saver.end();
      await pool.end();
    },
  );
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
