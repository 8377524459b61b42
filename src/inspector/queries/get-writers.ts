import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import type { CheckpointPlace } from "../api/places.js";
import { givenCheckpoints, type GivenParams, givenParams } from "./given-checkpoints.js";

/** The nodes that the metadata of a checkpoint names. */
export interface WritersRow {
  readonly checkpoint_id: string;
  /** A JSON list of names; `null` where the metadata names none. */
  readonly nodes_json: string | null;
}

/** Reads which nodes made checkpoints of one namespace, where LangGraph 0.x has stored what they wrote in the metadata. */
export async function getWriters(
  call: CallContext,
  places: readonly CheckpointPlace[],
): Promise<WritersRow[]> {
  const [first] = places;
  return first === undefined ? [] : runStatement(call, writers, givenParams(first.threadId, places));
}

const writers = /* @__PURE__ */ new Statement<GivenParams, WritersRow>((db, parameter) =>
  db
    .selectFrom(givenCheckpoints(parameter))
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom("checkpoints as stored")
          .where("stored.thread_id", "=", parameter("threadId"))
          .whereRef("stored.checkpoint_ns", "=", "given.checkpoint_ns")
          .whereRef("stored.checkpoint_id", "=", "given.checkpoint_id")
          .select("stored.checkpoint_id")
          .select(sql<object | null>`stored.metadata -> 'writes'`.as("writes"))
          .limit(sql.lit(1))
          .as("head"),
      (join) => join.onTrue(),
    )
    .select("head.checkpoint_id")
    .select(
      sql<string | null>`(select json_agg(name)::text from jsonb_object_keys(
        case when jsonb_typeof(head.writes) = 'object' then head.writes end) as writer(name))`.as(
        "nodes_json",
      ),
    ),
);
