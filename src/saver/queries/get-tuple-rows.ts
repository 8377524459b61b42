import { type QueryCreator, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { type CallContext, pieceBytesOf } from "../../db/call-context.js";
import { readWherePlaced, placementOf, type Placement } from "../../db/placement/placement.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { type Parameter, StatementFamily } from "../../db/statements/statement.js";
import type { CheckpointKey, NamespaceKey } from "../model/keys.js";
import { selectTupleRows, withMatching } from "./select-tuple-rows.js";
import type { SentRow } from "./sent-row.js";
import { type TupleRow, tupleRowOf } from "./tuple-row.js";
import { shapeOf, type TupleSelection, type TupleShape, type TableShape } from "../model/tuple-shape.js";
import { addedColumns } from "../../db/added-columns.js";

/** A checkpoint, or the newest of a namespace where no checkpoint is named. */
export type TupleKey = NamespaceKey & Partial<CheckpointKey>;

/**
 * Reads all rows of one checkpoint's tuple in one statement (C10). Without `checkpointId` it reads the newest checkpoint of
 * the namespace. It returns no rows where there is none.
 */
export async function getTupleRows(
  call: CallContext,
  key: TupleKey,
  selection: TupleSelection,
): Promise<TupleRow[]> {
  const { threadId, checkpointNs, checkpointId } = key;
  const byId = checkpointId !== undefined;
  const rows = await readWherePlaced(call, async (placement) => {
    const shape = shapeOf(selection, call.policy, await tableShape(call, selection, placement));
    return runStatement(call, statements.of({ ...shape, byId }), {
      threadId,
      checkpointNs,
      checkpointId: checkpointId ?? "",
      channels: selection.channels ?? [],
      pieceBytes: pieceBytesOf(call),
    });
  });
  return rows.map(tupleRowOf);
}

interface TupleParams extends CheckpointKey {
  readonly pieceBytes: number;
  readonly channels: readonly string[];
}

/** Decides the text of a statement that reads tuples. */
export interface ReadShape extends TupleShape {
  /** Whether the checkpoint is named. Otherwise the newest one is read. */
  readonly byId: boolean;
}

const statements = new StatementFamily<ReadShape, TupleParams, SentRow>(
  (shape) => (db, parameter) =>
    selectTupleRows(withMatching(db, matching(db, parameter, shape), shape), {
      shape,
      channels: parameter("channels"),
      pieceBytes: parameter("pieceBytes"),
      threadId: parameter("threadId"),
    }),
);

function matching(
  db: QueryCreator<CheckpointDatabase>,
  parameter: Parameter<TupleParams>,
  { byId }: ReadShape,
) {
  return db
    .selectFrom("checkpoints")
    .selectAll()
    .where("thread_id", "=", parameter("threadId"))
    .where("checkpoint_ns", "=", parameter("checkpointNs"))
    .where("checkpoint_id", "=", (eb) =>
      byId
        ? parameter("checkpointId")
        : // Finds the id in the index alone, before the row with its JSON is touched.
          eb
            .selectFrom("checkpoints")
            .select("checkpoint_id")
            .where("thread_id", "=", parameter("threadId"))
            .where("checkpoint_ns", "=", parameter("checkpointNs"))
            .orderBy(sql`checkpoint_id collate "C"`, "desc")
            .limit(sql.lit(1)),
    );
}

/**
 * Returns the shape of the tables for a read. A read of all parts needs migrated tables, since a run may continue from it, and would fail
 * only at its first write.
 *
 * @param known - The form of the statement, where the caller has chosen it.
 */
export async function tableShape(
  call: CallContext,
  { channels, writes }: TupleSelection,
  known?: Placement,
): Promise<TableShape> {
  const isWhole = channels === undefined && writes;
  const placement = known ?? (await placementOf(call));
  return {
    ...placement,
    hasTaskPath: isWhole || (await addedColumns(call)).taskPath,
  };
}
