import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import { newestCheckpointId } from "../../saver/queries/table-page.js";
import { storedSize } from "../../saver/queries/sent-row.js";
import type { CheckpointPlace } from "../api/places.js";

/** What is around a checkpoint. */
interface SurroundingsRow {
  /** The newest checkpoint of the namespace. */
  readonly newest: string;
  readonly metadata_bytes: number;
  /** The first of the checkpoints that continue from this one, as a JSON list; `null` without any. */
  readonly children: string | null;
}

/** Reads what is around a checkpoint. Returns `undefined` where it is not stored. */
export async function getSurroundings(
  call: CallContext,
  { namespace: checkpointNs, ...place }: CheckpointPlace,
  maxChildren: number,
): Promise<SurroundingsRow | undefined> {
  const [row] = await runStatement(call, surroundings, { ...place, checkpointNs, maxChildren });
  return row;
}

interface SurroundingsParams extends Omit<CheckpointPlace, "namespace"> {
  readonly checkpointNs: string;
  readonly maxChildren: number;
}

const surroundings = new Statement<SurroundingsParams, SurroundingsRow>((db, parameter) =>
  db
    .selectFrom("checkpoints as own")
    .where("own.thread_id", "=", parameter("threadId"))
    .where("own.checkpoint_ns", "=", parameter("checkpointNs"))
    .where("own.checkpoint_id", "=", parameter("checkpointId"))
    .select((eb) => {
      const children = eb
        .selectFrom("checkpoints as child")
        .where("child.thread_id", "=", parameter("threadId"))
        .where("child.checkpoint_ns", "=", parameter("checkpointNs"))
        .where("child.parent_checkpoint_id", "=", parameter("checkpointId"))
        .select("child.checkpoint_id")
        .orderBy(sql`child.checkpoint_id collate "C"`)
        .limit(parameter("maxChildren"));
      return [
        sql<string>`(${newestCheckpointId(db, parameter)})`.as("newest"),
        sql<number>`coalesce(${storedSize("own.metadata")}, 0)`.as("metadata_bytes"),
        sql<string | null>`(select json_agg(checkpoint_id)::text from (${children}) as found)`.as("children"),
      ];
    }),
);

interface NeighbourParams {
  readonly threadId: string;
  readonly namespace: string;
  readonly checkpointId: string;
}

/** A checkpoint that is next to another one by time. */
interface NeighbourRow {
  readonly checkpoint_id: string;
  readonly is_newer: boolean;
}

/** Reads the ids of the checkpoints of a namespace before and after one, in the order of their ids. */
export function getNeighbours(call: CallContext, place: NeighbourParams): Promise<NeighbourRow[]> {
  return runStatement(call, statement, place);
}

const statement = new Statement<NeighbourParams, NeighbourRow>((db, parameter) => {
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
