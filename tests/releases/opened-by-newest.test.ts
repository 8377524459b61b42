import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import type { Kysely } from "kysely";
import { PostgresCache } from "../../src/cache/index.js";
import { createCheckpoint, PostgresCheckpointStore } from "../../src/checkpoint-store/index.js";
import { PostgresConversations } from "../../src/conversations/index.js";
import { openDatabase } from "../../src/db/index.js";
import { type CheckpointDatabase, PostgresSaver, type PostgresSaverOptions } from "../../src/index.js";
import { migrateDown, migrateToLatest, migrationStatus } from "../../src/migrations/index.js";
import { MIGRATION_NAMES } from "../../src/migrations/steps/saver-steps.js";
import { PostgresStore } from "../../src/store/index.js";
import { putValues, threadConfig } from "../../test-support/checkpoints.js";
import { describeAnyTarget, type TestDatabase } from "../../test-support/targets.js";
import type { ConsumerProject } from "../package/consumer-project.js";
import { answerTurn } from "./content/agent.js";
import { readDatabase, threadsOf } from "./content/read-database.js";
import { serializerOf } from "./content/serializers.js";
import { type Fixture, fixtureNames, installFixture, readFixture } from "./fixture.js";
import { NEWEST } from "./newest.js";
import { importRelease, type Release } from "./release.js";

/** Expects that a version reads what the version of the fixture has read. */
async function expectContent(
  release: Release,
  { source }: TestDatabase,
  { expected: { content } }: Fixture,
): Promise<void> {
  const read = await readDatabase(release, source, Object.keys(content));
  const found: unknown = JSON.parse(JSON.stringify(read));
  // Jest takes a hundred times as long.
  if (!isDeepStrictEqual(found, content)) expect(found).toEqual(content);
}

describeAnyTarget("the database of a released version", (target) => {
  describe.each(fixtureNames())("%s", (name) => {
    const fixture = readFixture(name);
    const { steps, content } = fixture.expected;
    const has = (part: string): boolean => part in content;
    const itsThreads = Object.keys(content.threads);
    let newer: readonly string[];
    let project: ConsumerProject;
    let database: TestDatabase;
    let kysely: Kysely<CheckpointDatabase>;
    let close: () => Promise<void>;

    beforeAll(async () => {
      project = await installFixture(name);
      database = await target.createDatabase();
      await database.exec(fixture.sql);
      ({ kysely, close } = openDatabase(database.source));
    });
    afterAll(async () => {
      await close();
      await project.remove();
    });

    const open = (thread: string, options: PostgresSaverOptions = {}): PostgresSaver =>
      new PostgresSaver(kysely, serializerOf(NEWEST, thread), options);

    it("is migrated, and undone again where nothing is lost, after which its own version reads it", async () => {
      const status = await migrationStatus(kysely);
      expect(status).toMatchObject({ applied: steps, unknown: [], missing: [] });
      newer = status.pending;
      expect(newer).toEqual(expect.arrayContaining(MIGRATION_NAMES.filter((step) => !steps.includes(step))));
      expect(await migrateToLatest(kysely)).toEqual(newer);
      await expectContent(NEWEST, database, fixture);
      for (const step of newer.toReversed()) expect(await migrateDown(kysely)).toBe(step);
      expect(await migrationStatus(kysely)).toMatchObject({ applied: steps, pending: newer });
      if (newer.length > 0)
        await expectContent(await importRelease(project.packageFolder), database, fixture);
      // Its own last step holds rows that would be lost.
      await expect(migrateDown(kysely)).rejects.toMatchObject({
        name: "MigrationError",
        step: expect.any(String),
      });
      expect(await migrationStatus(kysely)).toMatchObject({ applied: steps });
      expect(await migrateToLatest(kysely)).toEqual(newer);
    });

    it("has no fault", async () => {
      for (const thread of itsThreads) {
        const saver = open(thread);
        const { problems } = await saver.verify(thread);
        // A notice says that a shallow saver has deleted the parent.
        expect(problems.filter(({ severity }) => severity !== "notice")).toEqual([]);
      }
    });

    it("is continued: each thread with its serializer, and a chain of splices by a splice", async () => {
      for (const thread of itsThreads.filter((id) => !id.endsWith(" agent"))) {
        const saver = open(thread, { splices: thread.endsWith(" splices") });
        const newest = await saver.getTuple(threadConfig(thread));
        if (newest === undefined) throw new Error(`${thread} has no checkpoint`);
        const { channel_values: values } = newest.checkpoint;
        const list = [...((values.list ?? []) as unknown[]), "continued"];
        const { config } = await putValues(saver, newest.config, { ...values, list }, newest.checkpoint);
        expect((await saver.getTuple(config))?.checkpoint.channel_values).toEqual({ ...values, list });
      }
      const bases = await database.query(
        "select distinct thread_id from checkpoint_blobs where base is not null and blob is not null order by 1",
      );
      expect(bases.map(({ thread_id }) => thread_id)).toEqual(
        itsThreads.filter((id) => id.endsWith(" splices")).sort(),
      );
      expect(await threadsOf(kysely)).toEqual(itsThreads);
    });

    it("has agents that go on after their question", async () => {
      for (const thread of itsThreads.filter((id) => id.endsWith(" agent"))) {
        const saver = open(thread);
        expect(await answerTurn(saver, threadConfig(thread), "yes")).toEqual({
          log: ["plan", "plan", "prepare", "answer: yes", "close"],
          delta: ["turn 1", "closed"],
          messages: 2,
        });
      }
    });

    const itHas = (part: string, body: () => Promise<void>): void => {
      if (has(part)) it(`has ${part} that count`, body);
    };

    itHas("tombstones", async () => {
      const saver = open("msgpack", { keepTombstones: true });
      const late = putValues(saver, threadConfig("msgpack deleted"), { list: ["late"] });
      await expect(late).rejects.toMatchObject({ code: "THREAD_DELETED" });
    });

    itHas("items", async () => {
      await using store = new PostgresStore(database.source);
      await store.put(["users", "7"], "changed", { count: 4 }, false, { ifVersion: 3 });
      expect(await store.get(["users", "7"], "changed")).toMatchObject({ value: { count: 4 }, version: 4 });
      expect(await store.sweep()).toBe(1);
    });

    itHas("entries", async () => {
      await using cache = new PostgresCache(database.source, { keyPrefix: "graph", onError: "throw" });
      expect(await cache.get([[["node"], "with a TTL"]])).toMatchObject([{ value: [1n] }]);
      expect(await cache.sweep()).toBe(1);
    });

    itHas("conversations", async () => {
      await using threads = new PostgresConversations(database.source);
      await threads.set("not begun", { kind: "patch", metadata: { title: "Begun" } });
      expect((await threads.get("not begun")).metadata).toEqual({ title: "Begun" });
    });

    itHas("executions", async () => {
      await using store = new PostgresCheckpointStore(database.source, { concurrency: "optimistic" });
      const next = {
        executionId: "exec 1",
        nodeName: "node",
        state: { at: 9 },
        timestamp: new Date(1_800_000_000_000),
      };
      await store.save(createCheckpoint({ ...next, id: "checkpoint 9", version: 4 }));
      expect(await store.latest("exec 1")).toMatchObject({ state: { at: 9 } });
      const older = createCheckpoint({ ...next, id: "checkpoint 2", version: 3 });
      await expect(store.save(older)).rejects.toMatchObject({ name: "CheckpointVersionError" });
    });
  });
});
