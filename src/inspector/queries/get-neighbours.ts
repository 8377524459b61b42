import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";

interface NeighbourParams {
  readonly threadId: string;
  readonly namespace: string;
  readonly checkpointId: string;
}

/** A checkpoint that is next to another one by time. */
export interface NeighbourRow {
  readonly checkpoint_id: string;
  readonly is_newer: boolean;
}

/** Reads the ids of the checkpoints of a namespace before and after one, in the order of their ids. */
export function getNeighbours(call: CallContext, place: NeighbourParams): Promise<NeighbourRow[]> {
  return runStatement(call, statement, place);
}

const statement = /* @__PURE__ */ new Statement<NeighbourParams, NeighbourRow>((db, parameter) => {
  const side = (comparison: "<" | ">") =>
    db
      .selectFrom("checkpoints")
      .where("thread_id", "=", parameter("threadId"))
      .where("checkpoint_ns", "=", parameter("namespace"))
      .where(sql<string>`checkpoint_id collate "C"`, comparison, parameter("checkpointId"))
      .select("checkpoint_id")
      .orderBy(sql`checkpoint_id collate "C"`, comparison === "<" ? "desc" : "asc")
      .limit(1);
  return db
    .selectFrom(side("<").as("older"))
    .select(["older.checkpoint_id", sql<boolean>`false`.as("is_newer")])
    .unionAll(
      db.selectFrom(side(">").as("newer")).select(["newer.checkpoint_id", sql<boolean>`true`.as("is_newer")]),
    );
});
