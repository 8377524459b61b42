import { sql } from "kysely";
import { insertHeaders, checkpointIsReplaced, headerIsHeld } from "../../saver/queries/inserts.js";
import { type RestoredCheckpoint, RestoreStatements } from "../../saver/queries/restored-rows.js";

const TYPES = {
  thread_id: "text",
  checkpoint_ns: "text",
  checkpoint_id: "text",
  parent_checkpoint_id: "text",
  type: "text",
  checkpoint: "jsonb",
  metadata: "jsonb",
} as const;

const COLUMNS = Object.keys(TYPES) as (keyof typeof TYPES)[];

/** The columns of a given row, after its JSONB was cast. */
interface GivenCheckpoint extends RestoredCheckpoint {
  readonly checkpoint: string;
  readonly metadata: string;
}

/** The statements that restore rows of `checkpoints`. Rows differ also where one has `1` and the other `1.0`. */
export const restoreCheckpoints = statementsWith(headerIsHeld);

/** The statements that put rows in the place of stored ones. */
export const replaceCheckpoints = statementsWith(checkpointIsReplaced);

function statementsWith(
  rule: typeof headerIsHeld | typeof checkpointIsReplaced,
): RestoreStatements<RestoredCheckpoint, GivenCheckpoint> {
  return new RestoreStatements<RestoredCheckpoint, GivenCheckpoint>(TYPES, {
    insert: (db, given) =>
      insertHeaders(db, COLUMNS, db.selectFrom(given).select(COLUMNS), rule).returning(
        sql<number>`0`.as("bytes"),
      ),
    selectDiffering: (db, given) =>
      db
        .selectFrom(given)
        .innerJoin("checkpoints as stored", (join) =>
          join
            .onRef("stored.thread_id", "=", "given.thread_id")
            .onRef("stored.checkpoint_ns", "=", "given.checkpoint_ns")
            .onRef("stored.checkpoint_id", "=", "given.checkpoint_id"),
        )
        .where((eb) =>
          eb.or([
            eb("stored.parent_checkpoint_id", "is distinct from", eb.ref("given.parent_checkpoint_id")),
            eb("stored.type", "is distinct from", eb.ref("given.type")),
            // Compared as text: JSONB takes 1.0 for 1, and Python reads them as a float and an integer.
            sql<boolean>`stored.checkpoint::text is distinct from given.checkpoint::text`,
            sql<boolean>`stored.metadata::text is distinct from given.metadata::text`,
          ]),
        )
        .select(["given.thread_id", "given.checkpoint_ns"])
        .select((eb) => [
          eb.ref("given.checkpoint_id").as("checkpoint_id"),
          sql<null>`null::text`.as("channel"),
          sql<null>`null::text`.as("version"),
          sql<null>`null::text`.as("task_id"),
          sql<null>`null::integer`.as("idx"),
        ]),
  });
}
