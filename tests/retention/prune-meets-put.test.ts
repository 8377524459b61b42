import { expect, it } from "@jest/globals";
import pg from "pg";
import { PostgresSaver } from "../../src/index.js";
import {
  checkpointOf,
  listIds,
  metadataOf,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { untilOneWaits } from "../../test-support/held-locks.js";
import { describeServer } from "../../test-support/targets.js";
import { idAt } from "./id-at.js";
import { missingBlobs } from "./stored-rows.js";

const THREAD = threadConfig("t");

// These tests run the statements of a put in their own transaction, so that it commits while prune waits.
describeServer("prune during a put", (target) => {
  async function opened() {
    const database = await target.migratedDatabase();
    const saver = new PostgresSaver(database.source, undefined, { retry: false });
    const writer = new pg.Client({ connectionString: database.source });
    writer.on("error", () => undefined);
    await writer.connect();
    const end = async () => {
      await writer.end();
      await saver.end();
    };
    return { database, saver, writer, end };
  }

  it("keeps the ancestors of a delta channel that only the new checkpoint needs (C7)", async () => {
    const { database, saver, writer, end } = await opened();
    const root = await putValues(saver, THREAD, { a: ["root"] });
    await saver.putWrites(root.config, [["delta", ["written"]]], "task");
    await putValues(saver, root.config, { a: ["head"] }, root.checkpoint);
    const child = checkpointOf(saver, { a: ["child"] });

    await writer.query("begin");
    await writer.query("select from checkpoints where thread_id = 't' and checkpoint_id = $1 for key share", [
      root.checkpoint.id,
    ]);
    const pruned = saver.prune({ keepLast: 1 });
    await untilOneWaits(database);
    await writer.query(
      `insert into checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, checkpoint, metadata)
        values ('t', '', $1, $2, $3, $4)`,
      [
        child.id,
        root.checkpoint.id,
        JSON.stringify({ ...child, channel_values: { a: 1 }, channel_versions: { a: "1", delta: "1" } }),
        JSON.stringify(metadataOf(1, { counters_since_delta_snapshot: { delta: [1, 1] } })),
      ],
    );
    await writer.query("commit");

    expect(await pruned).toMatchObject({ checkpoints: 0, writes: 0 });
    expect(await listIds(saver.list(THREAD))).toContain(root.checkpoint.id);
    const { delta } = await saver.getDeltaChannelHistory({ config: THREAD, channels: ["delta"] });
    expect(delta?.writes).toEqual([["task", "delta", ["written"]]]);
    await end();
  });

  it("keeps a value that the new checkpoint references again (C8)", async () => {
    const { database, saver, writer, end } = await opened();
    const root = await putValues(saver, THREAD, { shared: ["root"] });
    await putValues(saver, root.config, { shared: ["head"] }, root.checkpoint);
    const fork = checkpointOf(saver, {});
    const version = root.checkpoint.channel_versions.shared;

    await writer.query("begin");
    await writer.query("select from checkpoint_blobs where thread_id = 't' and version = $1 for update", [
      version,
    ]);
    const pruned = saver.prune({ keepLast: 1 });
    await untilOneWaits(database);
    await writer.query(
      `insert into checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, checkpoint, metadata)
        values ('t', '', $1, $2, $3, '{}')`,
      [fork.id, root.checkpoint.id, JSON.stringify({ ...fork, channel_versions: { shared: version } })],
    );
    await writer.query("commit");

    expect(await pruned).toMatchObject({ checkpoints: 1, blobs: 0 });
    expect(await missingBlobs(database)).toEqual([]);
    const tuple = await saver.getTuple(threadConfig("t", { checkpoint_id: fork.id }));
    expect(tuple?.checkpoint.channel_values).toEqual({ shared: ["root"] });
    await end();
  });

  it("keeps a checkpoint that is put into a subgraph call which is over", async () => {
    const { database, saver, writer, end } = await opened();
    const root = await putValues(saver, THREAD, { a: ["root"] });
    const config = threadConfig("t", { checkpoint_ns: "sub:task" });
    const call = checkpointOf(saver, { shared: ["call"] });
    const parents = { "": root.checkpoint.id };
    await saver.put(config, call, { ...metadataOf(), parents }, call.channel_versions);
    await putValues(saver, root.config, { a: ["head"] }, root.checkpoint);
    const child = checkpointOf(saver, {});

    await writer.query("begin");
    await writer.query("select from checkpoints where thread_id = 't' and checkpoint_id = $1 for key share", [
      call.id,
    ]);
    const pruned = saver.prune({ keepLast: 1 });
    await untilOneWaits(database);
    await writer.query(
      `insert into checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, checkpoint, metadata)
        values ('t', 'sub:task', $1, $2, $3, $4)`,
      [
        child.id,
        call.id,
        JSON.stringify({ ...child, channel_versions: call.channel_versions }),
        JSON.stringify({ ...metadataOf(), parents }),
      ],
    );
    await writer.query("commit");

    expect(await pruned).toMatchObject({ checkpoints: 2, blobs: 1 });
    expect(await missingBlobs(database)).toEqual([]);
    const tuple = await saver.getTuple(config);
    expect(tuple?.checkpoint).toMatchObject({ id: child.id, channel_values: { shared: ["call"] } });
    // The graph has no newer checkpoint.
    expect(await saver.prune({ keepLast: 1 })).toMatchObject({ checkpoints: 0 });
    await end();
  });

  it("keeps an idle thread that a put continues (C7)", async () => {
    const { saver, database, writer, end } = await opened();
    const old = checkpointOf(saver, { a: ["old"] });
    const id = idAt(Date.now() - 60_000);
    await saver.put(THREAD, { ...old, id }, metadataOf(), old.channel_versions);

    await writer.query("begin");
    await writer.query("select from checkpoints where thread_id = 't' and checkpoint_id = $1 for key share", [
      id,
    ]);
    const pruned = saver.prune({ idleForMs: 30_000 });
    await untilOneWaits(database);
    await writer.query(
      `insert into checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, checkpoint, metadata)
        values ('t', '', $1, $2, $3, '{}')`,
      [idAt(Date.now()), id, JSON.stringify({ ...old, channel_values: {} })],
    );
    await writer.query("commit");

    expect(await pruned).toMatchObject({ threads: 0, checkpoints: 0 });
    expect(await listIds(saver.list(THREAD))).toHaveLength(2);
    await end();
  });
});
