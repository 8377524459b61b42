import { beforeEach, expect, it } from "@jest/globals";
import { PostgresSaver } from "../../../src/index.js";
import { putValues, threadConfig } from "../../../test-support/checkpoints.js";
import { describeEachTarget, type TestDatabase } from "../../../test-support/targets.js";
import { complaints, examine } from "./examine.js";

describeEachTarget("doctor on damaged rows", (target) => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await target.sharedDatabase();
    await using saver = new PostgresSaver(database.source);
    for (const thread of ["old", "7", "8", "9"]) {
      const first = await putValues(saver, threadConfig(thread), { plan: ["A"] });
      await putValues(saver, first.config, { plan: ["B"] }, first.checkpoint);
    }
  });

  const found = async () => complaints(await examine(database), "rows");

  it("names the damage of the newest checkpoint of each thread, and what tells more", async () => {
    expect(await found()).toEqual([]);
    // Not the newest of its thread: what verify is for.
    await database.exec(
      `update checkpoints set metadata = 'null' where parent_checkpoint_id is null and thread_id = 'old'`,
    );
    expect(await found()).toEqual([]);
    await database.exec(`
      update checkpoints set checkpoint = checkpoint || '{"ts": "then"}' where thread_id = '7';
      delete from checkpoint_blobs where thread_id = '8' and version like '%2.%';
      insert into checkpoint_tombstones (thread_id) values ('9'), ('10')`);
    expect(await found()).toEqual(
      [
        /^living-tombstone: thread "9": /,
        /^missing-value: thread "8", checkpoint ".+", channel "plan", version ".+": no value is stored$/,
        /^corrupt-header: thread "7", checkpoint ".+": "ts" of the header is no time: "then"$/,
      ].map((message) => ({
        state: "error",
        message: expect.stringMatching(message),
        remedy:
          "`verify` with the thread names everything that is damaged in it, and `repair` shows what can be done",
      })),
    );
  });

  it("names some of many damages, and counts the others", async () => {
    await database.exec(`
      insert into checkpoints (thread_id, checkpoint_id, checkpoint, metadata)
      select 'more ' || n, checkpoint_id, checkpoint || '{"v": 9}', metadata
        from checkpoints, generate_series(1, 9) as n where thread_id = '9' and parent_checkpoint_id is null`);
    const messages = (await found()).map(({ message }) => message);
    expect(messages).toHaveLength(5);
    expect(messages.at(-1)).toMatch(/; and 13 more in the newest checkpoints$/);
  });
});
