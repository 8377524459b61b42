import { afterAll, afterEach, beforeAll, describe, it } from "@jest/globals";
import { PostgresCache } from "../../src/cache/index.js";
import { PostgresCheckpointStore } from "../../src/checkpoint-store/index.js";
import { cacheSuite, checkpointStoreSuite, storeSuite } from "../../src/conformance/index.js";
import type { LibraryDatabase } from "../../src/db/checkpoint-database.js";
import type { DatabaseSource } from "../../src/db/index.js";
import { PostgresSaver } from "../../src/index.js";
import { PostgresStore } from "../../src/store/index.js";
import type { Target, TestDatabase } from "../../test-support/targets.js";
import { CALLS, storeCountedThread } from "../saver/every-call.js";
import { elapse } from "../store/elapse.js";

/** A source that the tests have opened. */
export interface OpenedSource {
  readonly source: DatabaseSource<LibraryDatabase>;
  readonly close: () => Promise<void>;
}

/**
 * Defines tests that every method of a saver, and the suites of the store, the cache and the checkpoint store, pass on connections of a
 * driver.
 *
 * @param open - Opens connections to an empty database, by its connection string.
 * @param refused - The methods that these connections can't have.
 */
export function describeEveryFeature(
  target: Target<string>,
  open: (url: string) => OpenedSource | Promise<OpenedSource>,
  refused: readonly string[],
): void {
  let database: TestDatabase<string>;
  let opened: OpenedSource;
  const source = (): DatabaseSource<LibraryDatabase> => opened.source;

  beforeAll(async () => {
    database = await target.createDatabase();
    opened = await open(database.source);
    await new PostgresSaver(source()).setup();
    await new PostgresStore(source()).setup();
    await new PostgresCache(source(), { sweepIntervalMinutes: false }).setup();
    await new PostgresCheckpointStore(source()).setup();
  });
  afterEach(() =>
    database.exec("truncate checkpoints, checkpoint_blobs, checkpoint_writes, store, cache_entries"),
  );
  afterAll(() => opened.close());

  describe("has every method of a saver", () => {
    const calls = Object.entries(CALLS).filter(([name]) => !refused.includes(name));

    it.each(calls)("%s", async (_name, call) => {
      const saver = new PostgresSaver(source(), undefined, { keepTombstones: true });
      await call(await storeCountedThread(saver));
    });
  });

  describe("passes the store suite", () => {
    const cases = storeSuite(
      ({ ttl }) =>
        Promise.resolve({
          store: new PostgresStore(source(), { ttl, ensureTables: false }),
          elapse: (minutes) => elapse(database, minutes),
        }),
      { combinedFilters: true, ttl: true },
    );

    it.each(cases)("$name", ({ run }) => run());
  });

  describe("passes the cache suite", () => {
    const options = { deadlineMs: 120_000, sweepIntervalMinutes: false } as const;
    const cases = cacheSuite(() => Promise.resolve({ cache: new PostgresCache(source(), options) }));

    it.each(cases)("$name", ({ run }) => run());
  });

  describe("passes the checkpoint store suite", () => {
    const cases = checkpointStoreSuite((options) =>
      Promise.resolve({ store: new PostgresCheckpointStore(source(), options) }),
    );

    it.each(cases)("$name", ({ run }) => run());
  });
}
