import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { PostgresSaver } from "../../src/index.js";
import { newThread, nextId, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";
import { CORRUPT_ROWS, type CorruptRow } from "../saver/bad-input/corrupt-rows.js";

const KINDS = {
  header: "corrupt-header",
  value: "undecodable-value",
  write: "undecodable-write",
  send: "undecodable-write",
} as const;

describeAnyTarget("verify finds corrupt rows", (target) => {
  let database: TestDatabase;
  let saver: PostgresSaver;

  beforeAll(async () => {
    database = await target.migratedDatabase();
    saver = new PostgresSaver(database.source, undefined, { retry: false });
  });
  afterAll(() => saver.end());

  it.each(CORRUPT_ROWS)("$what", async ({ damaged, set }: CorruptRow) => {
    const thread = newThread();
    const { config, checkpoint } = await putValues(saver, threadConfig(thread), { messages: ["hello"] });
    await saver.putWrites(config, [["messages", ["written"]], ["__pregel_tasks", ["sent"]]], nextId()); // oxfmt-ignore
    await putValues(saver, config, { draft: ["…"] }, checkpoint);
    expect((await saver.verify(thread)).problems).toEqual([]);

    const where = {
      header: `checkpoints set ${set} where checkpoint_id = $2`,
      value: `checkpoint_blobs set ${set} where channel = 'messages' and $2 <> ''`,
      write: `checkpoint_writes set ${set} where channel = 'messages' and checkpoint_id = $2`,
      send: `checkpoint_writes set ${set} where channel = '__pregel_tasks' and checkpoint_id = $2`,
    };
    await database.query(`update ${where[damaged]} and thread_id = $1`, [thread, checkpoint.id]);
    const { problems } = await saver.verify(thread);
    expect(problems.filter(({ severity }) => severity === "error")).toMatchObject([
      { kind: KINDS[damaged], threadId: thread, checkpointNs: "" },
    ]);
  });
});
