import { sql } from "kysely";
import type { CheckpointTables } from "../../../db/checkpoint-tables.js";
import { runStatement } from "../../../db/run-statement.js";
import { Statement } from "../../../db/statement.js";
import { StatementFamily } from "../../../db/statement-family.js";
import type { NamespaceKey } from "../../checkpoint-key.js";
import { isUuid6 } from "../is-uuid6.js";

/** Which checkpoints of a namespace go. */
export interface DoomedRule {
  /** How many of the newest stay: one, or more. */
  readonly keepLast: number;
  /** Only those whose id, a UUID of version 6, is smaller; of any id where it is `undefined`. */
  readonly cutoff: string | undefined;
}

/** The ids of the checkpoints of a namespace that a rule lets go, newest first. */
export async function selectDoomed(
  tables: CheckpointTables,
  { threadId, checkpointNs }: NamespaceKey,
  { keepLast, cutoff }: DoomedRule,
): Promise<string[]> {
  const age = cutoff === undefined ? "any" : "aged";
  const params = { threadId, checkpointNs, newerThanKept: keepLast - 1, cutoff: cutoff ?? "" };
  const rows = await runStatement(tables, byRule.of(age, age), params);
  return rows.map(({ checkpoint_id }) => checkpoint_id);
}

interface RuleParams extends NamespaceKey {
  readonly newerThanKept: number;
  readonly cutoff: string;
}

interface IdRow {
  checkpoint_id: string;
}

const byRule = /* @__PURE__ */ new StatementFamily<"any" | "aged", RuleParams, IdRow>(
  (age) => (db, parameter) =>
    db
      .selectFrom("checkpoints as stored")
      .select("stored.checkpoint_id")
      .where("stored.thread_id", "=", parameter("threadId"))
      .where("stored.checkpoint_ns", "=", parameter("checkpointNs"))
      .where(
        sql`stored.checkpoint_id collate "C"`,
        "<",
        db
          .selectFrom("checkpoints as kept")
          .select("kept.checkpoint_id")
          .where("kept.thread_id", "=", parameter("threadId"))
          .where("kept.checkpoint_ns", "=", parameter("checkpointNs"))
          .orderBy(sql`kept.checkpoint_id collate "C"`, "desc")
          .offset(sql<number>`${parameter("newerThanKept")}::bigint`)
          .limit(sql.lit(1)),
      )
      .$if(age === "aged", (rows) =>
        rows
          .where(sql`stored.checkpoint_id collate "C"`, "<", parameter("cutoff"))
          .where((eb) => isUuid6(eb.ref("stored.checkpoint_id"))),
      )
      .orderBy(sql`stored.checkpoint_id collate "C"`, "desc"),
);

/** A checkpoint of one of the runs, in any thread and namespace. */
export interface RunRow extends IdRow {
  thread_id: string;
  checkpoint_ns: string;
}

/** The checkpoints that the runs have made, namespace by namespace, newest first. */
export function selectOfRuns(tables: CheckpointTables, runIds: readonly string[]): Promise<RunRow[]> {
  return runStatement(tables, ofRuns, { runIds });
}

const ofRuns = /* @__PURE__ */ new Statement<{ readonly runIds: readonly string[] }, RunRow>(
  (db, parameter) =>
    db
      .selectFrom("checkpoints as stored")
      .select(["stored.thread_id", "stored.checkpoint_ns", "stored.checkpoint_id"])
      // As the optional index has it.
      .where(sql<boolean>`(stored.metadata ->> 'run_id') = any (${parameter("runIds")}::text[])`)
      .orderBy(sql`stored.thread_id collate "C"`)
      .orderBy(sql`stored.checkpoint_ns collate "C"`)
      .orderBy(sql`stored.checkpoint_id collate "C"`, "desc"),
);
