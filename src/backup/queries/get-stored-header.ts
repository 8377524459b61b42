import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import type { CheckpointKey } from "../../saver/model/keys.js";

/** The header and the metadata of a checkpoint, as JSON text. */
export interface StoredHeaderRow {
  checkpoint: string | null;
  metadata: string | null;
}

/** Reads the JSONB columns of one checkpoint. */
export async function getStoredHeader(
  call: CallContext,
  key: CheckpointKey,
): Promise<StoredHeaderRow | undefined> {
  const [row] = await runStatement(call, storedHeader, key);
  return row;
}

const storedHeader = /* @__PURE__ */ new Statement<CheckpointKey, StoredHeaderRow>((db, parameter) =>
  db
    .selectFrom("checkpoints")
    .select([
      sql<string | null>`checkpoint::text`.as("checkpoint"),
      sql<string | null>`metadata::text`.as("metadata"),
    ])
    .where("thread_id", "=", parameter("threadId"))
    .where("checkpoint_ns", "=", parameter("checkpointNs"))
    .where("checkpoint_id", "=", parameter("checkpointId")),
);
