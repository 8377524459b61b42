import { afterAll, afterEach, beforeAll } from "@jest/globals";
import { PostgresCache, type PostgresCacheOptions } from "../../src/cache/index.js";
import type { DatabaseSource, Target, TestDatabase } from "../../test-support/targets.js";

/** Longer than any test: a busy machine must not make a cache miss. */
const PATIENT: PostgresCacheOptions = { deadlineMs: 120_000, sweepIntervalMinutes: false };

/** The cache of a suite, whose table is emptied after each test. */
export interface SuiteCache<Source extends DatabaseSource = DatabaseSource> {
  readonly cache: PostgresCache;
  readonly database: TestDatabase<Source>;
  /** Another cache on the same table. It closes at the end of the test. */
  open(options?: PostgresCacheOptions): PostgresCache;
  /** Closes a cache at the end of the test. */
  closing(cache: PostgresCache): PostgresCache;
}

/** Opens a cache for the tests of a suite. */
export function useCache<Source extends DatabaseSource>(target: Target<Source>): SuiteCache<Source> {
  const opened: PostgresCache[] = [];
  let database: TestDatabase<Source> | undefined;
  let cache: PostgresCache | undefined;
  const required = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error("before the suite has begun");
    return value;
  };
  const closing = (another: PostgresCache): PostgresCache => {
    opened.push(another);
    return another;
  };
  beforeAll(async () => {
    database = await target.createDatabase();
    cache = new PostgresCache(database.source, PATIENT);
    await cache.setup();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((each) => each.end()));
    await database?.exec("delete from cache_entries");
  });
  afterAll(() => cache?.end());
  return {
    get cache() {
      return required(cache);
    },
    get database() {
      return required(database);
    },
    open: (options = {}) => closing(new PostgresCache(required(database).source, { ...PATIENT, ...options })),
    closing,
  };
}

/** Moves the expiry of all entries by so many seconds into the past. */
export function later(seconds: number): string {
  return `update cache_entries set expires_at = expires_at - interval '${seconds} seconds' where expires_at is not null`;
}
