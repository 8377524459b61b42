import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { type CheckpointDatabase, CheckpointNotFoundError, PostgresSaver } from "../../src/index.js";
import { MsgpackSerializer } from "../../src/serde/index.js";
import { newThread, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { untilItWaits } from "../../test-support/held-locks.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { rowsOf } from "../../test-support/thread-rows.js";

const VALUES = { messages: ["a"], count: 1, title: "t", none: null };

describeServer("a fork beside a deletion", (target) => {
  let database: TestDatabase<string>;
  let other: PostgresSaver;
  beforeAll(async () => {
    database = await target.migratedDatabase();
    other = new PostgresSaver(database.source, undefined, { retry: false });
  });
  afterAll(() => other.end());

  it("fails where the checkpoint was deleted after it was read, and stores nothing (C3)", async () => {
    const thread = newThread();
    const { config } = await putValues(other, threadConfig(thread), VALUES);
    const deleting = new MeanwhileSerializer(() => other.deleteThread(thread));
    await using saver = new PostgresSaver(database.source, deleting, { retry: false });
    await expect(saver.fork(config, { values: { title: "new" } })).rejects.toThrow(CheckpointNotFoundError);
    expect(await rowsOf(database, thread)).toEqual({ checkpoints: 0, blobs: 0, writes: 0 });
  });

  it("keeps what it shares with a checkpoint that a prune deletes once the fork is committed (C3)", async () => {
    const thread = newThread();
    const root = await putValues(other, threadConfig(thread), VALUES);
    await putValues(other, root.config, { messages: ["head"], title: "head" }, root.checkpoint);
    const kysely = database.kysely<CheckpointDatabase>();
    const forked = await kysely.transaction().execute(async (transaction) => {
      const config = await new PostgresSaver(transaction).fork(root.config, { values: { count: 2 } });
      const pruning = other.prune([thread]);
      await untilItWaits(database, pruning);
      return { config, pruning };
    });
    await forked.pruning;
    const tuple = await other.getTuple(forked.config);
    expect(tuple?.checkpoint.channel_values).toEqual({ ...VALUES, count: 2 });
  });
});

/** Awaits something before it encodes a value. */
class MeanwhileSerializer extends MsgpackSerializer {
  readonly #meanwhile: () => Promise<unknown>;

  constructor(meanwhile: () => Promise<unknown>) {
    super();
    this.#meanwhile = meanwhile;
  }

  override async dumpsTyped(value: unknown): Promise<[string, Uint8Array]> {
    await this.#meanwhile();
    return this.dumps(value);
  }
}
