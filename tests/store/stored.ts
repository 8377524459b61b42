import { afterAll, afterEach, beforeAll } from "@jest/globals";
import { PostgresStore, type PostgresStoreOptions } from "../../src/store/index.js";
import type { DatabaseSource, Target, TestDatabase } from "../../test-support/targets.js";

/** The store of a suite, whose table is emptied after each test. */
export interface SuiteStore<Source extends DatabaseSource = DatabaseSource> {
  readonly store: PostgresStore;
  readonly database: TestDatabase<Source>;
  /** Another store on the same table. It closes at the end of the test. */
  open(options: PostgresStoreOptions): PostgresStore;
}

/** Opens a store for the tests of a suite. */
export function useStore<Source extends DatabaseSource>(
  target: Target<Source>,
  options: PostgresStoreOptions = {},
): SuiteStore<Source> {
  const opened: PostgresStore[] = [];
  let database: TestDatabase<Source> | undefined;
  let store: PostgresStore | undefined;
  const required = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error("before the suite has begun");
    return value;
  };
  beforeAll(async () => {
    database = await target.createDatabase();
    store = new PostgresStore(database.source, options);
    await store.setup();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((each) => each.end()));
    await database?.exec("delete from store");
  });
  afterAll(() => store?.end());
  return {
    get store() {
      return required(store);
    },
    get database() {
      return required(database);
    },
    open: (options) => {
      const another = new PostgresStore(required(database).source, options);
      opened.push(another);
      return another;
    },
  };
}
