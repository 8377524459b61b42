import type { SerializerProtocol } from "@langchain/langgraph-checkpoint";
import type { CheckpointTables } from "../../src/db/checkpoint-tables.js";
import { type DatabaseSource, openDatabase } from "../../src/db/open-database.js";
import { PostgresSaver, type PostgresSaverOptions } from "../../src/index.js";
import {
  type LockedRun,
  parseThreadLock,
  type ThreadLockOptions,
} from "../../src/saver/boundary/parse-thread-lock.js";
import { withThreadLock } from "../../src/saver/thread-lock.js";

/** A saver with the method, until the class has it. */
export class LockingSaver extends PostgresSaver {
  readonly #tables: CheckpointTables;

  constructor(source: DatabaseSource, serde?: SerializerProtocol, options: PostgresSaverOptions = {}) {
    super(source, serde, options);
    const { schema = "public", retry = {} } = options;
    this.#tables = { database: openDatabase(source), schema, retry };
  }

  async withThreadLock<T>(threadId: string, run: LockedRun<T>, options?: ThreadLockOptions): Promise<T> {
    return withThreadLock(this.#tables, parseThreadLock(threadId, run, options));
  }

  override async end(): Promise<void> {
    await this.#tables.database.close();
    await super.end();
  }
}
