import { afterAll, afterEach, beforeAll, describe, expect, it } from "@jest/globals";
import { Kysely } from "kysely";
import { PostgresJSDialect } from "kysely-postgres-js";
import postgres, { type Sql } from "postgres";
import { PostgresCache } from "../../src/cache/index.js";
import { PostgresCheckpointStore } from "../../src/checkpoint-store/index.js";
import { cacheSuite, checkpointStoreSuite, storeSuite } from "../../src/conformance/index.js";
import type { LibraryDatabase } from "../../src/db/checkpoint-database.js";
import { PostgresSaver } from "../../src/index.js";
import { PostgresStore } from "../../src/store/index.js";
import { describeServer, type TestDatabase } from "../../test-support/targets.js";
import { CALLS, storeCountedThread } from "../saver/every-call.js";
import { elapse } from "../store/elapse.js";

/** What no passed-in Kysely can do: it gives nobody a connection that listens. */
const REFUSED = new Set(["watch"]);

describeServer("a Kysely on postgres.js", (target) => {
  let database: TestDatabase<string>;
  let kysely: Kysely<LibraryDatabase>;

  beforeAll(async () => {
    database = await target.createDatabase();
    kysely = kyselyOn(postgres(database.source, { max: 4, onnotice: () => undefined }));
    await new PostgresSaver(kysely).setup();
    await new PostgresStore(kysely).setup();
    await new PostgresCache(kysely, { sweepIntervalMinutes: false }).setup();
    await new PostgresCheckpointStore(kysely).setup();
  });
  afterEach(() =>
    database.exec("truncate checkpoints, checkpoint_blobs, checkpoint_writes, store, cache_entries"),
  );
  afterAll(() => kysely.destroy());

  describe("has every method of a saver", () => {
    const calls = Object.entries(CALLS).filter(([name]) => !REFUSED.has(name));

    it.each(calls)("%s", async (_name, call) => {
      const saver = new PostgresSaver(kysely, undefined, { keepTombstones: true });
      await call(await storeCountedThread(saver));
    });
  });

  describe("passes the store suite", () => {
    const cases = storeSuite(
      ({ ttl }) =>
        Promise.resolve({
          store: new PostgresStore(kysely, { ttl, ensureTables: false }),
          elapse: (minutes) => elapse(database, minutes),
        }),
      { combinedFilters: true, ttl: true },
    );

    it.each(cases)("$name", ({ run }) => run());
  });

  describe("passes the cache suite", () => {
    const options = { deadlineMs: 120_000, sweepIntervalMinutes: false } as const;
    const cases = cacheSuite(() => Promise.resolve({ cache: new PostgresCache(kysely, options) }));

    it.each(cases)("$name", ({ run }) => run());
  });

  describe("passes the checkpoint store suite", () => {
    const cases = checkpointStoreSuite((options) =>
      Promise.resolve({ store: new PostgresCheckpointStore(kysely, options) }),
    );

    it.each(cases)("$name", ({ run }) => run());
  });
});

describeServer("a Kysely whose driver changes values", (target) => {
  const camel = { transform: postgres.camel };
  const letters = {
    types: { boolean: { to: 16, from: [16], serialize: String, parse: (text: string) => text } },
  };

  it.each([
    { what: "the names of columns", options: camel, column: "sent_text" },
    { what: "booleans", options: letters, column: "are_words" },
  ])("is refused before it stores anything: $what", async ({ options, column }) => {
    const database = await target.createDatabase();
    const kysely = kyselyOn(postgres(database.source, { ...options, onnotice: () => undefined }));
    for (const owner of [
      new PostgresSaver(kysely),
      new PostgresStore(kysely),
      new PostgresCheckpointStore(kysely),
    ]) {
      await expect(owner.setup()).rejects.toMatchObject({
        code: "INVALID_CONFIG",
        message: expect.stringContaining(`the column "${column}"`),
      });
    }
    expect(
      await database.query("select relname from pg_class where relnamespace = 'public'::regnamespace"),
    ).toEqual([]);
    await kysely.destroy();
  });
});

function kyselyOn(sql: Sql): Kysely<LibraryDatabase> {
  return new Kysely({ dialect: new PostgresJSDialect({ postgres: sql }) });
}
