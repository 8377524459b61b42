import { type QueryCreator, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import type { Parameter } from "../../db/statements/statement.js";
import type { NamespaceKey } from "../model/checkpoint-key.js";

/** Selects the id of a namespace's newest checkpoint. The index on the ids answers it without reading a row. */
export function newestCheckpointId(
  db: Pick<QueryCreator<CheckpointDatabase>, "selectFrom">,
  parameter: Parameter<NamespaceKey>,
) {
  return db
    .selectFrom("checkpoints")
    .select("checkpoint_id")
    .where("thread_id", "=", parameter("threadId"))
    .where("checkpoint_ns", "=", parameter("checkpointNs"))
    .orderBy(sql`checkpoint_id collate "C"`, "desc")
    .limit(sql.lit(1));
}
