import { sql } from "kysely";
import { type BoundStatement, Statement } from "../../db/statements/statement.js";
import { isRestoredKey, type RestoredKeys } from "./restored-keys.js";

/** The number of writes of a checkpoint. */
export interface WriteCountRow {
  readonly checkpoint_ns: string;
  readonly checkpoint_id: string;
  readonly writes: number;
}

/** Counts the writes of checkpoints. Checkpoints without writes have no row. */
export function countStoredWrites(schema: string, keys: RestoredKeys): BoundStatement<WriteCountRow> {
  return counts.bind(schema, keys);
}

const counts = /* @__PURE__ */ new Statement<RestoredKeys, WriteCountRow>((db, parameter) =>
  db
    .selectFrom("checkpoint_writes as write")
    .select(["write.checkpoint_ns", "write.checkpoint_id"])
    .select(sql<number>`count(*)::float8`.as("writes"))
    .where("write.thread_id", "=", parameter("threadId"))
    .where(isRestoredKey("write", parameter))
    .groupBy(["write.checkpoint_ns", "write.checkpoint_id"]),
);
