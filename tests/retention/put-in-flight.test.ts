import { expect, it } from "@jest/globals";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { type CheckpointDatabase, PostgresSaver, ShallowPostgresSaver } from "../../src/index.js";
import {
  allVersions,
  checkpointOf,
  listIds,
  metadataOf,
  putValues,
  threadConfig,
} from "../../test-support/checkpoints.js";
import { untilItWaits } from "../../test-support/held-locks.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { missingBlobs } from "./stored-rows.js";

const THREAD = threadConfig("t");

/** Too long to be stored in a header. */
const LONG_NAME = "Ada".repeat(1_000);

// The put runs in a passed-in transaction, which commits only once another call waits for it.
describeServer("put before its commit", (target) => {
  async function opened() {
    const database = await target.sharedDatabase();
    const saver = new PostgresSaver(database.source, undefined, { retry: false });
    const root = await putValues(saver, THREAD, { a: ["root"], shared: ["shared"] });
    const head = await putValues(saver, root.config, { a: ["head"] }, root.checkpoint);
    return { database, saver, root, head };
  }

  /** Runs a put in a transaction, then starts `other`, and commits once `other` waits or has finished. */
  async function putBeside(
    database: TestDatabase & { readonly source: string },
    put: (saver: PostgresSaver) => Promise<unknown>,
    other: () => Promise<unknown>,
  ): Promise<void> {
    const pool = new pg.Pool({ connectionString: database.source });
    pool.on("error", () => undefined);
    const kysely = new Kysely<CheckpointDatabase>({ dialect: new PostgresDialect({ pool }) });
    let work: Promise<unknown> = Promise.resolve();
    await kysely.transaction().execute(async (transaction) => {
      await put(new PostgresSaver(transaction));
      work = other();
      await untilItWaits(database, work);
    });
    await work;
    await kysely.destroy();
  }

  const deletions: Record<string, (saver: PostgresSaver) => Promise<unknown>> = {
    deleteThread: (saver) => saver.deleteThread("t"),
    "a batch that deletes": (saver) => saver.batch((batch) => batch.deleteThread("t")),
    'prune with "delete"': (saver) => saver.prune(["t"], { strategy: "delete" }),
  };
  for (const [name, deletion] of Object.entries(deletions)) {
    it(`keeps the values that it shares with a thread deleted by ${name} (C8)`, async () => {
      const { database, saver, head } = await opened();
      const next = checkpointOf(saver, { a: ["next"] }, head.checkpoint);
      const values = { shared: ["shared"], a: ["next"] };
      const checkpoint = { ...next, channel_values: values };

      await putBeside(
        database,
        (inTransaction) =>
          inTransaction.put(head.config, checkpoint, metadataOf(2), { a: next.channel_versions.a ?? 0 }),
        () => deletion(saver),
      );

      expect(await missingBlobs(database)).toEqual([]);
      expect((await saver.getTuple(THREAD))?.checkpoint.channel_values).toEqual(values);
      await saver.deleteThread("t");
      expect(await database.query("select from checkpoint_blobs")).toEqual([]);
      await saver.end();
    });
  }

  const others: Record<string, (saver: PostgresSaver, database: { source: string }) => Promise<unknown>> = {
    ...deletions,
    "the put of a shallow saver": async (_saver, { source }) => {
      const shallow = new ShallowPostgresSaver(source, undefined, { retry: false });
      await putValues(shallow, THREAD, { a: ["shallow"] });
      await shallow.end();
    },
  };
  for (const [name, other] of Object.entries(others)) {
    it(`keeps all of its values without a parent lock, during ${name}`, async () => {
      const { database, saver, root, head } = await opened();
      const next = checkpointOf(saver, { a: ["next"] }, head.checkpoint);
      const channel_versions = { ...root.checkpoint.channel_versions, a: next.channel_versions.a ?? 0 };
      const checkpoint = { ...next, channel_versions, channel_values: { shared: ["shared"], a: ["next"] } };
      const missing = threadConfig("t", { checkpoint_id: "gone" });

      await putBeside(
        database,
        (inTransaction) => inTransaction.put(missing, checkpoint, metadataOf(2), channel_versions),
        () => other(saver, database),
      );

      expect(await missingBlobs(database)).toEqual([]);
      const stored = await saver.getTuple(threadConfig("t", { checkpoint_id: next.id }));
      if (stored !== undefined) expect(stored.checkpoint.channel_values).toEqual(checkpoint.channel_values);
      await saver.end();
    });
  }

  it("keeps what it references of its parent without storing values, as delta channels do (C3)", async () => {
    const { database, saver, root } = await opened();
    await saver.putWrites(root.config, [["delta", ["written"]]], "task");
    const fork = checkpointOf(saver, { a: ["fork"] }, root.checkpoint);
    const checkpoint = { ...fork, channel_versions: { ...fork.channel_versions, delta: "1" } };
    const metadata = metadataOf(2, { counters_since_delta_snapshot: { delta: [1, 1] } });

    await putBeside(
      database,
      (inTransaction) =>
        inTransaction.put(root.config, checkpoint, metadata, { ...allVersions(fork), delta: "1" }),
      () => saver.prune(["t"]),
    );

    expect(await missingBlobs(database)).toEqual([]);
    expect(await listIds(saver.list(THREAD))).toContain(root.checkpoint.id);
    const { delta } = await saver.getDeltaChannelHistory({ config: THREAD, channels: ["delta"] });
    expect(delta?.writes).toEqual([["task", "delta", ["written"]]]);
    await saver.end();
  });

  it("keeps a value that it stores again at the same version, while no other checkpoint references it (C4)", async () => {
    const { database, saver, root, head } = await opened();
    await database.query("delete from checkpoints where checkpoint_id = $1", [root.checkpoint.id]);

    await putBeside(
      database,
      (inTransaction) =>
        inTransaction.put(THREAD, root.checkpoint, metadataOf(), allVersions(root.checkpoint)),
      () => saver.prune({ keepLast: 10 }),
    );

    expect(await missingBlobs(database)).toEqual([]);
    expect((await saver.getTuple(root.config))?.checkpoint.channel_values).toEqual(
      root.checkpoint.channel_values,
    );
    expect(await saver.getTuple(head.config)).toBeDefined();
    await saver.end();
  });

  it("doesn't block another put that shares an unchanged scalar", async () => {
    const { database, saver } = await opened();
    const parent = await putValues(saver, threadConfig("u"), { name: LONG_NAME, a: ["root"] });
    const successor = (value: string) => {
      const next = checkpointOf(saver, { a: [value] }, parent.checkpoint);
      return { ...next, channel_values: { name: LONG_NAME, a: [value] } };
    };
    const [first, second] = [successor("first"), successor("second")];
    const putOne = (to: PostgresSaver, checkpoint: typeof first) =>
      to.put(parent.config, checkpoint, metadataOf(1), { a: checkpoint.channel_versions.a ?? 0 });

    await putBeside(
      database,
      (inTransaction) => putOne(inTransaction, first),
      async () => {
        await putOne(saver, second);
        expect(await saver.getTuple(threadConfig("u", { checkpoint_id: first.id }))).toBeUndefined();
      },
    );

    expect(await missingBlobs(database)).toEqual([]);
    await saver.end();
  });

  it("doesn't change a shared value that it stores again because its parent was deleted", async () => {
    const { database, saver, root, head } = await opened();
    await database.query("delete from checkpoints where checkpoint_id = $1", [root.checkpoint.id]);
    const fork = checkpointOf(saver, { a: ["fork"] }, root.checkpoint);
    const changed = { ...fork, channel_values: { a: ["fork"], shared: ["changed by its caller"] } };

    await saver.put(root.config, changed, metadataOf(2), { a: fork.channel_versions.a ?? 0 });

    const tuple = await saver.getTuple(head.config);
    expect(tuple?.checkpoint.channel_values).toEqual({ a: ["head"], shared: ["shared"] });
    await saver.end();
  });
});
