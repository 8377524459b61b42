import { sql } from "kysely";
import type { CheckpointTables } from "../../db/checkpoint-tables.js";
import { runStatement } from "../../db/run-statement.js";
import { Statement } from "../../db/statement.js";
import type { CheckpointKey, NamespaceKey } from "../checkpoint-key.js";
import { selectTupleRows } from "./select-tuple-rows.js";
import type { TupleRow } from "./tuple-row.js";

/**
 * Everything that one checkpoint's tuple is made of, in one statement. Without `checkpointId`: the newest checkpoint
 * of the namespace. No rows where there is none.
 */
export function getTupleRows(
  tables: CheckpointTables,
  key: NamespaceKey & Partial<CheckpointKey>,
): Promise<TupleRow[]> {
  const { threadId, checkpointNs, checkpointId } = key;
  return checkpointId === undefined
    ? runStatement(tables, newestTuple, { threadId, checkpointNs })
    : runStatement(tables, tupleById, { threadId, checkpointNs, checkpointId });
}

const tupleById = /* @__PURE__ */ new Statement<CheckpointKey, TupleRow>((db, parameter) =>
  selectTupleRows(
    db.with("page", (qb) =>
      qb
        .selectFrom("checkpoints")
        .selectAll()
        .where("thread_id", "=", parameter("threadId"))
        .where("checkpoint_ns", "=", parameter("checkpointNs"))
        .where("checkpoint_id", "=", parameter("checkpointId")),
    ),
    parameter("threadId"),
  ),
);

const newestTuple = /* @__PURE__ */ new Statement<NamespaceKey, TupleRow>((db, parameter) =>
  selectTupleRows(
    db.with("page", (qb) =>
      qb
        .selectFrom("checkpoints")
        .selectAll()
        .where("thread_id", "=", parameter("threadId"))
        .where("checkpoint_ns", "=", parameter("checkpointNs"))
        .where("checkpoint_id", "=", (eb) =>
          // Finds the id in the index alone, before the row with its JSON is touched.
          eb
            .selectFrom("checkpoints")
            .select("checkpoint_id")
            .where("thread_id", "=", parameter("threadId"))
            .where("checkpoint_ns", "=", parameter("checkpointNs"))
            .orderBy(sql`checkpoint_id collate "C"`, "desc")
            .limit(sql.lit(1)),
        ),
    ),
    parameter("threadId"),
  ),
);
