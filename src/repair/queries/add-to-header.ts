import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import type { CheckpointKey } from "../../saver/model/keys.js";

/** Fields of a checkpoint's header and metadata, as the texts of JSON objects. */
export interface HeaderFields extends CheckpointKey {
  readonly header: string;
  readonly metadata: string;
}

/** Sets fields of a checkpoint. The others stay as they are: JavaScript can't represent every number of JSON. */
export async function addToHeader(call: CallContext, fields: HeaderFields): Promise<void> {
  await runStatement(call, add, fields);
}

const add = /* @__PURE__ */ new Statement<HeaderFields, unknown>((db, parameter) =>
  db
    .updateTable("checkpoints")
    .set({
      checkpoint: sql`case when ${parameter("header")}::text = '{}' then checkpoint
        else checkpoint || ${parameter("header")}::text::jsonb end`,
      metadata: sql`case when ${parameter("metadata")}::text = '{}' then metadata
        else metadata || ${parameter("metadata")}::text::jsonb end`,
    })
    .where("thread_id", "=", parameter("threadId"))
    .where("checkpoint_ns", "=", parameter("checkpointNs"))
    .where("checkpoint_id", "=", parameter("checkpointId")),
);
