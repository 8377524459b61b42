import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";

/** The key of a checkpoint. */
export interface CheckpointKeyRow {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  readonly checkpoint_id: string;
}

/** Reads the keys of the newest checkpoints by their ids, the newest first. It reads all ids, since no index is in their order. */
export function getNewestKeys(call: CallContext, limit: number): Promise<CheckpointKeyRow[]> {
  return runStatement(call, newest, { limit });
}

const newest = /* @__PURE__ */ new Statement<{ readonly limit: number }, CheckpointKeyRow>((db, parameter) =>
  db
    .selectFrom("checkpoints")
    .select(["thread_id", "checkpoint_ns", "checkpoint_id"])
    .orderBy(sql`checkpoint_id collate "C"`, "desc")
    .limit(sql<number>`${parameter("limit")}::bigint`),
);
