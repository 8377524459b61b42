import { afterAll, beforeAll } from "@jest/globals";
import type { Kysely } from "kysely";
import type { CheckpointDatabase, PostgresSaver } from "../../src/index.js";
import { runOfficialConformance } from "../../test-support/official-conformance.js";

/** A saver whose tables exist, and a Kysely on its schema. */
export interface PreparedSaver {
  readonly saver: PostgresSaver;
  readonly tables: Kysely<CheckpointDatabase>;
}

/**
 * Runs LangGraph's conformance suite on one saver. Its tables are emptied for each test, because a migration takes longer than the
 * test.
 */
export function runOnEmptiedSaver(checkpointerName: string, prepare: () => Promise<PreparedSaver>): void {
  let prepared: PreparedSaver;
  beforeAll(async () => {
    prepared = await prepare();
  });
  afterAll(() => prepared.saver.end());

  runOfficialConformance({
    checkpointerName,
    async createCheckpointer() {
      for (const table of ["checkpoints", "checkpoint_blobs", "checkpoint_writes"] as const)
        await prepared.tables.deleteFrom(table).execute();
      return prepared.saver;
    },
  });
}
