import { expect, it } from "@jest/globals";
import type pg from "pg";
import { loadBuilds } from "../../test-support/builds.js";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { countWaiting } from "../../test-support/held-locks.js";
import { describeServer } from "../../test-support/targets.js";
import { until } from "../../test-support/until.js";
import { withClient } from "../../test-support/with-client.js";

const builds = await loadBuilds("index");

describeServer("a deadlock with other programs", (target) => {
  it.each(builds)("is retried, loaded by %s", async (_, { PostgresSaver }) => {
    const database = await target.sharedDatabase();
    const untilWaiting = (count: number) => until(async () => (await countWaiting(database)) === count);
    // The saver looks for deadlocks soon, and the others never, so the saver's statement is the one that fails.
    const options = "-c deadlock_timeout=10ms";
    await using saver = new PostgresSaver({ connectionString: database.source, options });
    const thread = newThread();
    const { config } = await putValues(saver, threadConfig(thread), { a: "first" });

    await withClient(database.source, (blocker) =>
      withClient(database.source, async (other) => {
        await beginWithWrite(blocker, thread, 1);
        await beginWithWrite(other, thread, 2);
        const stored = saver.putWrites(
          config,
          [
            ["a", 0],
            ["a", 1],
            ["a", 2],
          ],
          "task",
        );
        // The statement has stored the first write, and waits for the second.
        await untilWaiting(1);
        const waiting = storeWrite(other, thread, 0);
        await untilWaiting(2);
        // Now it waits for the third, whose owner waits for the first.
        await blocker.query("rollback");
        await waiting;
        await other.query("rollback");
        await expect(stored).resolves.toBeUndefined();
      }),
    );
    const values = (await saver.getTuple(config))?.pendingWrites?.map(([, , value]) => value);
    expect(values).toEqual([0, 1, 2]);
  });
});

async function beginWithWrite(client: pg.Client, thread: string, index: number): Promise<void> {
  await client.query("set deadlock_timeout = '1h'");
  await client.query("begin");
  await storeWrite(client, thread, index);
}

/** Stores one pending write of a thread, in an order of its own. */
async function storeWrite(client: pg.Client, thread: string, index: number): Promise<void> {
  await client.query(
    `insert into checkpoint_writes (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, blob)
     select thread_id, checkpoint_ns, checkpoint_id, 'task', $2::int, 'a', 'null', '' from checkpoints where thread_id = $1`,
    [thread, index],
  );
}
