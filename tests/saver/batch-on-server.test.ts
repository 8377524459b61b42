import { expect, it } from "@jest/globals";
import { ConnectionError, PostgresSaver } from "../../src/index.js";
import type { CheckpointBatch } from "../../src/saver/batch.js";
import {
  allVersions,
  checkpointOf,
  collect,
  metadataOf,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { WAITING_CONNECTIONS } from "../../test-support/held-locks.js";
import { observedPool } from "../../test-support/round-trips.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { until } from "../../test-support/until.js";

describeServer("batches on a server", (target) => {
  /** A pool that records the texts that it sends. */
  async function fill(saver: PostgresSaver, batch: CheckpointBatch, count: number): Promise<void> {
    for (let n = 0; n < count; n++) {
      const checkpoint = checkpointOf(saver, { a: [n], n });
      const config = await batch.put(
        threadConfig(`t${n % 10}`),
        checkpoint,
        metadataOf(n),
        allVersions(checkpoint),
      );
      await batch.putWrites(config, [["a", n]], "task");
    }
  }

  it("take one round trip for one call and for five hundred, including deletions", async () => {
    const { pool, sent } = observedPool((await target.createDatabase()).source);
    const saver = new PostgresSaver(pool);
    await saver.setup();
    for (const count of [1, 10, 500]) {
      sent.length = 0;
      await saver.batch((batch) => fill(saver, batch, count));
      expect(sent).toHaveLength(1);
      sent.length = 0;
      await saver.batch(async (batch) => {
        for (let n = 0; n < count; n++) await batch.deleteThread(`t${n}`);
        await fill(saver, batch, count);
      });
      // The statements before it are in the same round trip.
      expect(sent).toEqual(["commit"]);
    }
    expect(await collect(saver.list({}))).toHaveLength(500);
    sent.length = 0;
    await saver.batch(() => undefined);
    expect(sent).toEqual([]);
    await saver.end();
    await pool.end();
  });

  it("never deadlock, however much they overlap (C2)", async () => {
    const { source } = await target.migratedDatabase();
    // A deadlock would be retried, and so stay unnoticed.
    const saver = new PostgresSaver({ connectionString: source, max: 12 }, undefined, { retry: false });
    const checkpoints = Array.from({ length: 40 }, () => checkpointOf(saver, { a: [1], b: [2] }));
    for (let round = 0; round < 8; round++) {
      const batches = Array.from({ length: 12 }, (_, nth) =>
        saver.batch(async (batch) => {
          for (const [index, checkpoint] of rotated(checkpoints, nth * 7 + round).entries()) {
            const thread = threadConfig(`round ${round} thread ${checkpoints.indexOf(checkpoint) % 5}`);
            const config = await batch.put(thread, checkpoint, metadataOf(index), allVersions(checkpoint));
            await batch.putWrites(
              config,
              [
                ["__interrupt__", nth],
                ["a", nth],
              ],
              `task ${index % 3}`,
            );
          }
        }),
      );
      const alone = checkpoints.map((checkpoint, index) =>
        saver.put(
          threadConfig(`round ${round} thread ${index % 5}`),
          checkpoint,
          metadataOf(),
          allVersions(checkpoint),
        ),
      );
      await Promise.all([...batches, ...alone.reverse()]);
    }
    expect(await collect(saver.list({}))).toHaveLength(8 * checkpoints.length);
    await saver.end();
  });

  /** Runs the batch of `saver` until its second statement waits for a lock, and then ends its connection. */
  async function batchWithLostConnection(database: TestDatabase, saver: PostgresSaver): Promise<unknown> {
    const old = await putValues(saver, threadConfig("old"), { a: ["old"] });
    const held = await putValues(saver, threadConfig("held"), { a: ["held"] });
    const pending = await database
      .kysely<{ checkpoints: { thread_id: string } }>()
      .transaction()
      .execute(async (transaction) => {
        await transaction
          .selectFrom("checkpoints")
          .selectAll()
          .where("thread_id", "=", "held")
          .forUpdate()
          .execute();
        const stored = saver.batch(async (batch) => {
          await batch.deleteThread("old");
          await batch.put(threadConfig("held"), held.checkpoint, metadataOf(7), {});
          await batch.put(
            threadConfig("new"),
            { ...old.checkpoint },
            metadataOf(7),
            allVersions(old.checkpoint),
          );
        });
        const outcome = stored.catch((error: unknown) => error);
        await until(async () => (await database.query(`${WAITING} limit 1`)).length > 0);
        await database.query(`select pg_terminate_backend(pid) from (${WAITING}) as waiting`);
        return { outcome };
      });
    return pending.outcome;
  }

  // Its second statement is the first one that can wait.
  const WAITING = WAITING_CONNECTIONS;

  it("are retried as a whole when the connection is lost in the middle (C6)", async () => {
    const database = await target.migratedDatabase();
    const saver = new PostgresSaver(database.source);
    expect(await batchWithLostConnection(database, saver)).toBeUndefined();
    expect(await saver.getTuple(threadConfig("old"))).toBeUndefined();
    expect((await saver.getTuple(threadConfig("held")))?.metadata?.step).toBe(7);
    expect((await saver.getTuple(threadConfig("new")))?.metadata?.step).toBe(7);
    await saver.end();
  });

  it("store nothing when the connection is lost in the middle and retries are off (C1)", async () => {
    const database = await target.migratedDatabase();
    const saver = new PostgresSaver(database.source, undefined, { retry: false });
    expect(await batchWithLostConnection(database, saver)).toBeInstanceOf(ConnectionError);
    expect((await saver.getTuple(threadConfig("old")))?.checkpoint.channel_values).toEqual({ a: ["old"] });
    expect((await saver.getTuple(threadConfig("held")))?.metadata?.step).toBe(0);
    expect(await saver.getTuple(threadConfig("new"))).toBeUndefined();
    await saver.end();
  });
});

function rotated<T>(items: readonly T[], by: number): T[] {
  const start = by % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}
