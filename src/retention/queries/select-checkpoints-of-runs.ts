import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import { migratedColumn } from "../../saver/queries/select-tuple-rows.js";

/** A checkpoint that one of the runs stored, in any thread and namespace. */
export interface RunCheckpointRow {
  thread_id: string;
  checkpoint_ns: string;
  checkpoint_id: string;
}

/** The checkpoints that the runs stored, namespace by namespace, newest first. */
export function selectCheckpointsOfRuns(
  call: CallContext,
  runIds: readonly string[],
): Promise<RunCheckpointRow[]> {
  return runStatement(call, checkpointsOfRuns, { runIds });
}

const checkpointsOfRuns = /* @__PURE__ */ new Statement<
  { readonly runIds: readonly string[] },
  RunCheckpointRow
>((db, parameter) =>
  db
    .selectFrom("checkpoints as stored")
    .select(["stored.thread_id", "stored.checkpoint_ns", "stored.checkpoint_id"])
    .select(migratedColumn(db).as("migrated"))
    // The expression of the optional index `run-index`.
    .where(sql<boolean>`(stored.metadata ->> 'run_id') = any (${parameter("runIds")}::text[])`)
    .orderBy(sql`stored.thread_id collate "C"`)
    .orderBy(sql`stored.checkpoint_ns collate "C"`)
    .orderBy(sql`stored.checkpoint_id collate "C"`, "desc"),
);
