import { afterAll, beforeAll, expect, it } from "@jest/globals";
import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { type CheckpointDatabase, InvalidConfigError, PostgresSaver } from "../../src/index.js";
import { AesGcmSerializer, CompressedSerializer } from "../../src/serde/index.js";
import { collect, putValues, threadConfig } from "../../test-support/checkpoints.js";
import { memoryArchive } from "../../test-support/memory-archive.js";
import { describeEachTarget, type TestDatabase } from "../../test-support/targets.js";
import { allRows } from "../backup/all-rows.js";
import { DAMAGE, putThread, readAll, REDUCERS, UNREADABLE } from "./damaged-thread.js";

const EVERYTHING = { rollBack: true, quarantine: true, reducers: REDUCERS };

const decoder = new TextDecoder();

/** Short texts, which MessagePack reads as numbers. */
const OWN: SerializerProtocol = {
  dumpsTyped: () => Promise.resolve(["yaml", new TextEncoder().encode("5")]),
  loadsTyped: (_type, bytes) => Promise.resolve(typeof bytes === "string" ? bytes : decoder.decode(bytes)),
};

const FOREIGN: readonly (readonly [what: string, serde: () => SerializerProtocol])[] = [
  [
    "encrypted with a key that the saver lacks",
    () => new AesGcmSerializer(new CompressedSerializer(), { keys: [{ id: "a", key: Buffer.alloc(32, 1) }] }),
  ],
  ["of a serializer of the application", () => OWN],
];

describeEachTarget("repair, where it may do harm", (target) => {
  let database: TestDatabase;
  let saver: PostgresSaver;

  beforeAll(async () => {
    database = await target.sharedDatabase();
    saver = new PostgresSaver(database.source, undefined, { retry: false, splices: true });
  });
  afterAll(() => saver.end());

  const errors = async () => (await saver.verify()).problems.filter(({ severity }) => severity === "error");

  it.each([
    ["was mended", "restored"],
    ["was rolled back", "rolled back"],
    ["moved away", "quarantined"],
  ])("is undone by deleting and restoring a thread that %s, byte for byte", async (_, how) => {
    const stored = await putThread(saver);
    const { thread } = stored;
    const from = how === "restored" ? await collect(saver.exportThreads()) : undefined;
    for (const damage of [
      DAMAGE.header(
        stored,
        how === "quarantined" ? 0 : 1,
        `checkpoint = jsonb_set(checkpoint, '{v}', '1.50')`,
      ),
      DAMAGE.header(stored, 2, "checkpoint = '[]'"),
      DAMAGE.value(stored, 1, "list", "whole_bytes = -1"),
      DAMAGE.value(stored, 2, "draft", UNREADABLE),
      DAMAGE.write(stored, 0, "draft", UNREADABLE),
      DAMAGE.write(stored, 2, "list", "type = 'yaml'"),
      DAMAGE.write(stored, 2, "draft", "idx = -1"),
      ...(how === "quarantined" ? ["update checkpoints set metadata = '1' where thread_id = $1"] : []),
    ])
      await database.query(damage, [thread]);
    const damaged = await allRows(database);
    const to = memoryArchive();
    const { repairs } = await saver.repair({ ...EVERYTHING, to, from });
    expect(repairs.some(({ action }) => action === "quarantine")).toBe(how === "quarantined");
    expect(await allRows(database)).not.toEqual(damaged);
    await saver.deleteThread(thread);
    await saver.restore({ threads: [thread], from: to });
    expect(await allRows(database)).toEqual(damaged);
  });

  it.each(FOREIGN)("leaves values %s, whatever is allowed", async (_, serde) => {
    await using other = new PostgresSaver(database.source, serde());
    const { thread } = await putThread(other);
    const { config } = (await readAll(other, thread))[0] ?? {};
    await putValues(saver, config ?? {}, { title: ["readable"], size: [5] });
    const before = await allRows(database);
    const to = memoryArchive();
    const { repaired, repairs } = await saver.repair({ ...EVERYTHING, to });
    expect(repaired).toBe(0);
    expect(repairs.length).toBeGreaterThan(5);
    for (const { action, description } of repairs) {
      expect(action).toBe("none");
      expect(description).toMatch(/repair with the serializer and the keys that wrote it/);
    }
    expect(await allRows(database)).toEqual(before);
    expect(to.files.size).toBe(0);
  });

  it("gives no value a type that any bytes pass for", async () => {
    const stored = await putThread(saver);
    // As Python's saver stores bytes.
    await database.query(DAMAGE.value(stored, 1, "draft", "type = 'bytes'"), [stored.thread]);
    await database.query(DAMAGE.value(stored, 2, "draft", UNREADABLE), [stored.thread]);
    expect(await saver.repair({ dryRun: true })).toMatchObject({ repairs: [{ action: "none" }] });
  });

  it("leaves a thread as it is where a step breaks what could be read", async () => {
    const stored = await putThread(saver);
    const [head] = await readAll(saver, stored.thread);
    const list = [...((head?.checkpoint.channel_values.list ?? []) as string[]), "d"];
    await putValues(saver, head?.config ?? {}, { list }, head?.checkpoint);
    await database.query(DAMAGE.value(stored, 2, "list", UNREADABLE), [stored.thread]);
    const before = await allRows(database);
    // The value of the next checkpoint is a splice of the one that this makes.
    const reducers = { list: () => "another value" };
    const done = await saver.repair({ to: memoryArchive(), reducers });
    expect(done).toMatchObject({ repaired: 0, repairs: [{ action: "none" }] });
    expect(await allRows(database)).toEqual(before);
  });

  it("keeps the writes that a task has stored since the backup", async () => {
    const stored = await putThread(saver);
    const from = await collect(saver.exportThreads());
    const [head] = await readAll(saver, stored.thread);
    await saver.putWrites(head?.config ?? {}, [["list", ["d"]], ["draft", ["d"]], ["later", 1]], "task d"); // oxfmt-ignore
    const before = await readAll(saver, stored.thread);
    await database.query(DAMAGE.write(stored, 2, "draft", UNREADABLE), [stored.thread]);
    await saver.repair({ to: memoryArchive(), from });
    expect(await readAll(saver, stored.thread)).toEqual(before);
  });

  it("changes nothing where the archive does not keep what is written to it", async () => {
    const stored = await putThread(saver);
    await database.query(DAMAGE.write(stored, 2, "draft", "idx = -1"), [stored.thread]);
    const before = await allRows(database);
    const to = { ...memoryArchive(), write: () => Promise.resolve() };
    await expect(saver.repair({ to })).rejects.toMatchObject({ code: "ARCHIVE_FAILED" });
    expect(await allRows(database)).toEqual(before);
  });

  it("touches no thread that has only notices", async () => {
    const { thread } = await putThread(saver);
    await saver.prune({ keepLast: 1 });
    await database.query(
      "insert into checkpoint_blobs (thread_id, channel, version, type) values ($1, 'gone', '1', 'empty')",
      [thread],
    );
    expect((await saver.verify()).problems.length).toBeGreaterThan(0);
    const before = await allRows(database);
    const to = memoryArchive();
    expect(await saver.repair({ ...EVERYTHING, to })).toMatchObject({ threads: 0, repairs: [] });
    expect(await allRows(database)).toEqual(before);
    expect(to.files.size).toBe(0);
  });

  it("is refused within a transaction of the caller", async () => {
    const repairing = database
      .kysely<CheckpointDatabase>()
      .transaction()
      .execute((transaction) => new PostgresSaver(transaction).repair({ dryRun: true }));
    await expect(repairing).rejects.toMatchObject({ code: "INVALID_CONFIG", field: "repair" });
    await expect(repairing).rejects.toBeInstanceOf(InvalidConfigError);
  });

  it("keeps what it has repaired where it is aborted, and leaves the other threads", async () => {
    const threads = ["first", "second"];
    for (const thread of threads) {
      const stored = await putThread(saver, thread);
      await database.query(DAMAGE.write(stored, 2, "draft", "idx = -1"), [thread]);
    }
    const controller = new AbortController();
    const repairing = saver.repair({
      to: memoryArchive(),
      signal: controller.signal,
      onProgress: () => {
        controller.abort();
      },
    });
    await expect(repairing).rejects.toMatchObject({ code: "ABORTED" });
    expect(await errors()).toMatchObject([{ threadId: "second" }]);
    expect(await saver.repair({ to: memoryArchive() })).toMatchObject({ threads: 1, repaired: 1 });
  });

  it("loses nothing that a run stores in the same thread meanwhile", async () => {
    const stored = await putThread(saver);
    const { thread } = stored;
    await using writer = new PostgresSaver(database.source, undefined, { splices: true });
    await using repairing = new PostgresSaver(database.source, undefined, { splices: true });
    let last = await writer.getTuple(threadConfig(thread));
    const ids: string[] = [];
    const run = async (): Promise<void> => {
      for (let step = 0; step < 5; step++) {
        const list = [...((last?.checkpoint.channel_values.list ?? []) as string[]), `${ids.length}`];
        const { config, checkpoint } = await putValues(
          writer,
          last?.config ?? {},
          { list },
          last?.checkpoint,
        );
        await writer.putWrites(config, [["list", [`${ids.length + 1}`]]], "task");
        ids.unshift(checkpoint.id);
        last = { config, checkpoint };
      }
    };
    for (let round = 0; round < 3; round++) {
      await database.query(DAMAGE.value(stored, 1, "list", UNREADABLE), [thread]);
      await database.query(DAMAGE.write(stored, 2, "draft", "idx = -1"), [thread]);
      const options = { rollBack: true, reducers: REDUCERS, to: memoryArchive() };
      const [done] = await Promise.all([repairing.repair(options), run()]);
      expect(done.repaired).toBe(1);
    }
    const tuples = await readAll(saver, thread);
    expect(tuples.map(({ checkpoint }) => checkpoint.id)).toEqual([...ids, ...stored.ids.toReversed()]);
    expect(tuples.slice(0, ids.length).every(({ pendingWrites }) => pendingWrites?.length === 1)).toBe(true);
    expect(await errors()).toEqual([]);
  });
});
