import { afterEach, beforeAll } from "@jest/globals";
import { PostgresStore } from "../../src/store/index.js";
import type { Target, TestDatabase } from "../../test-support/targets.js";
import { cliOn, jsonOf } from "./cli.js";

/** Fills a database with the items of the examples in help: those of the users 7 and 8, and a shared one. */
export async function fillStore({ source }: TestDatabase): Promise<void> {
  await using store = new PostgresStore(source);
  await store.put(["users", "7"], "profile", { name: "Ada", age: 36 });
  await store.put(["users", "7"], "settings", { theme: "dark" }, undefined, { ttl: 60 });
  await store.put(["users", "7", "facts"], "1", { text: "drinks green tea" });
  await store.put(["users", "8"], "profile", { name: "Bob", age: 17 });
  await store.put(["shared"], "motd", { text: "hello" });
}

/** A database with a filled store, and the command line on it. */
export interface RefilledStore {
  readonly database: TestDatabase;
  readonly run: ReturnType<typeof cliOn>;
  /** Runs a command with `--json`, which must succeed, and returns the parsed output. */
  readonly json: (...argv: string[]) => Promise<Record<string, unknown>>;
}

/** Creates a database for a suite, and fills its store again after each test. */
export function refilledStore(target: Target): RefilledStore {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await target.createDatabase();
    await fillStore(database);
  });
  afterEach(async () => {
    await database.exec("delete from store");
    await fillStore(database);
  });
  const run: RefilledStore["run"] = (...argv) => cliOn(database)(...argv);
  return {
    get database() {
      return database;
    },
    run,
    json: (...argv) => jsonOf(run, ...argv),
  };
}
