import { afterAll, beforeAll } from "@jest/globals";
import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import { PostgresSaver, type PostgresSaverOptions } from "../../src/index.js";
import { threadConfig } from "../../test-support/checkpoints.js";
import type { Target, TestDatabase } from "../../test-support/targets.js";
import { cliOn, type CliOutcome } from "./cli.js";

/** A migrated database for threads of services with different serializers, and the command line on it. */
export interface ThreadsInFormats {
  readonly database: TestDatabase;
  readonly saverOf: (serde?: SerializerProtocol, options?: PostgresSaverOptions) => PostgresSaver;
  readonly run: (argv: readonly string[], env?: Readonly<Record<string, string>>) => Promise<CliOutcome>;
  readonly valuesOf: (saver: PostgresSaver, thread: string) => Promise<Record<string, unknown>>;
}

/** Creates the database before the tests of a suite, and closes its savers after them. */
export function threadsInFormats(target: Target): ThreadsInFormats {
  let database: TestDatabase;
  const opened: PostgresSaver[] = [];
  const saverOf: ThreadsInFormats["saverOf"] = (serde, options) => {
    const saver = new PostgresSaver(database.source, serde, options);
    opened.push(saver);
    return saver;
  };
  beforeAll(async () => {
    database = await target.migratedDatabase();
  });
  afterAll(() => Promise.all(opened.map((saver) => saver.end())));
  return {
    get database() {
      return database;
    },
    saverOf,
    run: (argv, env = {}) => cliOn(database, { env })(...argv),
    valuesOf: async (saver, thread) =>
      (await saver.getTuple(threadConfig(thread)))?.checkpoint.channel_values ?? {},
  };
}
