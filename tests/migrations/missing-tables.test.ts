import { afterEach, beforeEach, expect, it } from "@jest/globals";
import { PostgresCache } from "../../src/cache/index.js";
import { createCheckpoint, PostgresCheckpointStore } from "../../src/checkpoint-store/index.js";
import { type OpenedDatabase, openDatabase } from "../../src/db/index.js";
import { MigrationError, PostgresSaver } from "../../src/index.js";
import { MIGRATION_NAMES } from "../../src/migrations/steps/saver-steps.js";
import { migrateToLatest, migrationStatus, planMigrations } from "../../src/migrations/index.js";
import { PostgresStore } from "../../src/store/index.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";

const SAVERS = ["checkpoints", "checkpoint_blobs", "checkpoint_writes"];
const OTHERS = ["store", "cache_entries", "checkpoint_store"];

describeServer("a table that was dropped", (target) => {
  let database: TestDatabase;
  let opened: OpenedDatabase;
  beforeEach(async () => {
    database = await target.migratedDatabase();
    opened = openDatabase(database.source);
    await migrateToLatest(opened.kysely, { with: ["store", "cache", "checkpoint-store"] });
  });
  afterEach(() => opened.close());

  async function useAll(): Promise<void> {
    await using saver = new PostgresSaver(database.source, undefined, { keepTombstones: true });
    await using store = new PostgresStore(database.source);
    await using cache = new PostgresCache(database.source, {
      deadlineMs: 120_000,
      sweepIntervalMinutes: false,
    });
    await using checkpoints = new PostgresCheckpointStore(database.source);
    for (const owner of [saver, store, cache, checkpoints]) await owner.setup();
    const { config } = await putValues(saver, threadConfig("t"), { a: [1] });
    await saver.putWrites(config, [["a", 2]], "task", "~path");
    expect(await saver.getTuple(config)).toMatchObject({ pendingWrites: [["task", "a", 2]] });
    await saver.deleteThread("t");
    await store.put(["a"], "k", { v: 1 }, undefined, { ifVersion: 0 });
    await cache.set([{ key: [["n"], "k"], value: 1 }]);
    expect(await cache.get([[["n"], "k"]])).toEqual([{ key: [["n"], "k"], value: 1 }]);
    await checkpoints.save(createCheckpoint({ executionId: "e", nodeName: "n", state: 1 }));
  }

  it.each([...SAVERS, "checkpoint_tombstones", ...OTHERS])(
    "is created again by setup() if nothing needs what it held: %s",
    async (table) => {
      await database.exec(`drop table ${table}`);
      expect(await migrationStatus(opened.kysely)).toMatchObject({ missing: [table] });
      await useAll();
      expect(await migrationStatus(opened.kysely)).toMatchObject({ missing: [], pending: [] });
    },
  );

  it("is created again together with all others, and as a plan prints it", async () => {
    await database.exec(`drop table ${[...SAVERS, ...OTHERS, "checkpoint_tombstones"].join()}`);
    const { preparation, steps } = await planMigrations(opened.kysely);
    expect(steps.map(({ name }) => name)).toEqual([
      ...MIGRATION_NAMES,
      "store-0001-create-store",
      "store-0002-create-indexes",
      "cache-0001-create-cache",
      "checkpoint-store-0001-create-checkpoint-store",
    ]);
    await database.exec([...preparation, ...steps.flatMap(({ statements }) => statements)].join(";\n"));
    expect(await migrationStatus(opened.kysely)).toMatchObject({
      ...{ missing: [], pending: [] },
      applied: steps.map(({ name }) => name),
    });
    await useAll();
  });

  it.each(SAVERS)(
    "is not created again, and named, while rows of others need what it held: %s",
    async (table) => {
      await using saver = new PostgresSaver(database.source);
      const { config } = await putValues(saver, threadConfig("t"), { a: [1] });
      await saver.putWrites(config, [["a", 2]], "task");
      await database.exec(`drop table ${table}`);
      const others = SAVERS.filter((name) => name !== table);
      for (const migrate of [
        () => saver.setup(),
        () => migrateToLatest(opened.kysely),
        () => planMigrations(opened.kysely),
      ]) {
        const error: unknown = await migrate().catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(MigrationError);
        expect(error).toMatchObject({
          message: expect.stringMatching(
            `^table "${table}" does not exist, .* rows of "(${others.join("|")})" can't be used without it`,
          ),
        });
      }
      expect(await migrationStatus(opened.kysely)).toMatchObject({
        missing: [table],
        pending: MIGRATION_NAMES,
      });
      expect(await saver.health()).toMatchObject({ ok: false, schema: { upToDate: false } });
      await database.exec("delete from checkpoint_kysely_migration");
      await useAll();
    },
  );

  it("is created again before the steps that are pending beside it", async () => {
    await database.exec(`
      drop table checkpoint_tombstones;
      alter table checkpoint_blobs drop column base, drop column whole_bytes;
      delete from checkpoint_kysely_migration where name = '0006-add-splice-base'`);
    const names = ["0005-create-tombstones", "0006-add-splice-base"];
    const { steps } = await planMigrations(opened.kysely);
    expect(steps.map(({ name }) => name)).toEqual(names);
    expect(steps.map(({ statements }) => statements[0])).toEqual([
      expect.stringContaining('create table if not exists "public"."checkpoint_tombstones"'),
      expect.stringContaining('alter table "public"."checkpoint_blobs" add column'),
    ]);
    expect(await migrateToLatest(opened.kysely)).toEqual(names);
    await useAll();
  });

  it("is left to the newer version of this library that has created it", async () => {
    await database.exec(`
      drop table checkpoint_tombstones;
      insert into checkpoint_kysely_migration values ('9999-future', '2030-01-01')`);
    await expect(migrateToLatest(opened.kysely)).rejects.toThrow(
      'table "checkpoint_tombstones" does not exist, although its migration is recorded as applied, and a newer version ' +
        "of this library has created it. Nothing was changed: migrate with that version",
    );
  });

  it("is not created again, and named, while a table refers to it that has lost its foreign key", async () => {
    // As `migrate --with vectors` leaves it, which needs pgvector.
    await database.exec(
      "create table store_vectors (prefix text, key text, field_name text, embedding text)",
    );
    await database.exec("drop table store");
    await using store = new PostgresStore(database.source);
    const message = expect.stringMatching(/^table "store" does not exist, .*"store_vectors" needs its rows/);
    await expect(store.setup()).rejects.toMatchObject({ code: "MIGRATION_FAILED", message });
    await database.exec("drop table store_vectors");
    await useAll();
  });
});
