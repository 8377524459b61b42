import { expect, it } from "@jest/globals";
import type { RunnableConfig } from "@langchain/core/runnables";
import { type Checkpoint, INTERRUPT } from "@langchain/langgraph-checkpoint";
import { type ArchiveRule, type CheckpointDatabase, PostgresSaver } from "../../src/index.js";
import {
  allVersions,
  checkpointOf,
  metadataOf,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { untilItWaits } from "../../test-support/held-locks.js";
import { memoryArchive } from "../../test-support/memory-archive.js";
import { describeServer } from "../../test-support/targets.js";
import { allRows } from "../backup/all-rows.js";
import { idAt } from "../retention/id-at.js";
import { missingBlobs } from "../retention/stored-rows.js";

const THREAD = threadConfig("t");
const OLDER: ArchiveRule = { keepLast: 1, deleteUnproven: true };
const WHOLE: ArchiveRule = { strategy: "delete", threads: ["t"] };

// The other call is made in a transaction, which commits only once the archive waits for it.
describeServer("an archive beside a call that is not committed", (target) => {
  async function opened() {
    const database = await target.sharedDatabase();
    const saver = new PostgresSaver(database.source, undefined, { retry: false });
    const root = await putValues(saver, THREAD, { a: ["root"], shared: ["shared"] });
    await saver.putWrites(root.config, [[INTERRUPT, { value: "first?" }]], "task");
    const head = await putValues(saver, root.config, { a: ["head"] }, root.checkpoint);

    const archiveBeside = async (rule: ArchiveRule, call: (saver: PostgresSaver) => Promise<unknown>) => {
      const kysely = database.kysely<CheckpointDatabase>();
      const { archiving } = await kysely.transaction().execute(async (transaction) => {
        await call(new PostgresSaver(transaction));
        const archiving = saver.archive({ ...rule, to: memoryArchive() });
        await untilItWaits(database, archiving);
        return { archiving };
      });
      return archiving;
    };
    return { database, saver, root, head, archiveBeside };
  }

  /** A checkpoint that shares the values of its parent, and needs the writes of its delta channel. */
  function childOf(saver: PostgresSaver, parent: Checkpoint) {
    const child = checkpointOf(saver, { a: ["child"] }, parent);
    const checkpoint = { ...child, channel_versions: { ...child.channel_versions, delta: "1" } };
    const metadata = metadataOf(1, { counters_since_delta_snapshot: { delta: [1, 1] } });
    return { checkpoint, metadata, versions: { ...allVersions(child), delta: "1" } };
  }

  it("locks no row of another thread", async () => {
    const { database, saver } = await opened();
    const other = await putValues(saver, threadConfig("u"), { a: ["other"] });
    await saver.putWrites(other.config, [["a", 1]], "task");
    const kysely = database.kysely<CheckpointDatabase>();
    const impatient = new PostgresSaver(`${database.source}?options=-c%20lock_timeout%3D100`, undefined, {
      retry: false,
    });
    await kysely.transaction().execute(async (transaction) => {
      for (const table of ["checkpoints", "checkpoint_blobs", "checkpoint_writes"] as const)
        await transaction.selectFrom(table).selectAll().where("thread_id", "=", "u").forUpdate().execute();
      expect(await impatient.archive({ ...WHOLE, to: memoryArchive() })).toMatchObject({ checkpoints: 2 });
    });
    await impatient.end();
    await saver.end();
  });

  it("keeps a checkpoint, and its writes, that a new child needs (C7)", async () => {
    const { saver, root, archiveBeside } = await opened();
    await saver.putWrites(root.config, [["delta", ["written"]]], "task");
    const { checkpoint, metadata, versions } = childOf(saver, root.checkpoint);
    const moved = await archiveBeside(OLDER, (within) =>
      within.put(root.config, checkpoint, metadata, versions),
    );
    expect(moved).toMatchObject({ checkpoints: 0, writes: 0, blobs: 0 });
    const { delta } = await saver.getDeltaChannelHistory({ config: THREAD, channels: ["delta"] });
    expect(delta?.writes).toEqual([["task", "delta", ["written"]]]);
    await saver.end();
  });

  const replaceInterrupt = (config: RunnableConfig) => (within: PostgresSaver) =>
    within.putWrites(config, [[INTERRUPT, { value: "second?" }]], "task");

  it.each([
    ["an old checkpoint", OLDER],
    ["a whole thread", WHOLE],
  ])("keeps a write of %s that is replaced (C7)", async (_of, rule) => {
    const { database, saver, root, archiveBeside } = await opened();
    const before = await allRows(database);
    const moved = await archiveBeside(rule, replaceInterrupt(root.config));
    expect(moved).toMatchObject({ checkpoints: 0, writes: 0, changed: 1 });
    expect((await saver.getTuple(root.config))?.pendingWrites).toEqual([
      ["task", INTERRUPT, { value: "second?" }],
    ]);
    expect((await allRows(database)).checkpoints).toEqual(before.checkpoints);
    await saver.end();
  });

  it("keeps a write without a checkpoint that is replaced (C7)", async () => {
    const { database, saver, archiveBeside } = await opened();
    const lost = threadConfig("t", { checkpoint_ns: "", checkpoint_id: idAt(Date.UTC(2020, 0, 1)) });
    await saver.putWrites(lost, [[INTERRUPT, { value: "first?" }]], "task");
    const rule = { keepLast: 9, deleteUnproven: true };
    expect(await archiveBeside(rule, replaceInterrupt(lost))).toMatchObject({ writes: 0, changed: 1 });
    expect((await allRows(database)).checkpoint_writes).toHaveLength(2);
    await saver.end();
  });

  it.each([
    ["of an old checkpoint", OLDER],
    ["of a whole thread", WHOLE],
  ])("keeps a value %s that a new checkpoint stores again (C4, C8)", async (_of, rule) => {
    const { database, saver, root, archiveBeside } = await opened();
    await database.query("delete from checkpoint_writes");
    const again = { ...root.checkpoint, id: checkpointOf(saver, {}).id };
    await archiveBeside(rule, (within) => within.put(THREAD, again, metadataOf(), allVersions(again)));
    expect(await missingBlobs(database)).toEqual([]);
    const tuple = await saver.getTuple(threadConfig("t", { checkpoint_id: again.id }));
    expect(tuple?.checkpoint.channel_values).toEqual(root.checkpoint.channel_values);
    await saver.end();
  });

  it("keeps a whole thread that a put continues (C7)", async () => {
    const { database, saver, head, archiveBeside } = await opened();
    const before = await allRows(database);
    const next = checkpointOf(saver, { a: ["next"] }, head.checkpoint);
    const checkpoint = { ...next, channel_values: { a: ["next"], shared: ["shared"] } };
    const moved = await archiveBeside(WHOLE, (within) =>
      within.put(head.config, checkpoint, metadataOf(2), allVersions(next)),
    );
    expect(moved).toMatchObject({ threads: 0, checkpoints: 0, writes: 0, blobs: 0, changed: 1 });
    const after = await allRows(database);
    for (const [table, rows] of Object.entries(before))
      expect(after[table]).toEqual(expect.arrayContaining(rows));
    await saver.end();
  });
});
