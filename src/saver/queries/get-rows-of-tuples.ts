import { type QueryCreator, sql } from "kysely";
import { type CallContext, pieceBytesOf } from "../../db/call-context.js";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { type Parameter, StatementFamily } from "../../db/statements/statement.js";
import { shapeOf, type TupleSelection } from "../model/tuple-shape.js";
import { type ReadShape, type TupleKey, tableShape } from "./get-tuple-rows.js";
import { type GivenParams, givenParams, givenRows } from "./given-rows.js";
import { selectPageRows, withMatching } from "./select-tuple-rows.js";
import type { SentPageRow } from "./sent-row.js";
import { readItems } from "./thread-groups.js";
import { type PageRow, pageRowOf } from "./tuple-row.js";

/**
 * Reads the rows of several tuples in one statement, as `getTupleRows` reads those of one.
 *
 * @param keys - Each once. Without ids, in namespaces that differ. Either all of them name a checkpoint, or none.
 */
export async function getRowsOfTuples(
  call: CallContext,
  keys: readonly TupleKey[],
  selection: TupleSelection,
): Promise<PageRow[]> {
  const tables = await tableShape(call, selection);
  const byId = keys.every(({ checkpointId }) => checkpointId !== undefined);
  const statement = statements.of({ ...shapeOf(selection, call.policy, tables), byId });
  const rows = await readItems(
    tables,
    keys,
    ({ threadId }) => threadId,
    (items, threadId) =>
      runStatement(call, statement, {
        ...givenParams(KEY_TYPES, items.map(rowOf)),
        threadId,
        channels: selection.channels ?? [],
        pieceBytes: pieceBytesOf(call),
      }),
  );
  return rows.map(pageRowOf);
}

const KEY_TYPES = { thread_id: "text", checkpoint_ns: "text", checkpoint_id: "text" } as const;

type KeyRow = Readonly<Record<keyof typeof KEY_TYPES, string>>;

function rowOf({ threadId, checkpointNs, checkpointId = "" }: TupleKey): KeyRow {
  return { thread_id: threadId, checkpoint_ns: checkpointNs, checkpoint_id: checkpointId };
}

interface TuplesParams extends GivenParams<keyof KeyRow> {
  /** The thread of all tuples, for a statement that names it. */
  readonly threadId: string;
  readonly channels: readonly string[];
  readonly pieceBytes: number;
}

const statements = new StatementFamily<ReadShape, TuplesParams, SentPageRow>(
  (shape) => (db, parameter) =>
    selectPageRows(withMatching(db, matching(db, parameter, shape), shape), {
      shape,
      channels: parameter("channels"),
      pieceBytes: parameter("pieceBytes"),
      threadId: shape.isOnNodes ? parameter("threadId") : undefined,
    }),
);

function matching(
  db: QueryCreator<CheckpointDatabase>,
  parameter: Parameter<TuplesParams>,
  { byId, isOnNodes }: ReadShape,
) {
  const threadId = isOnNodes
    ? sql<string>`${parameter("threadId")}::text`
    : sql.ref<string>("wanted.thread_id");
  return db
    .selectFrom(givenRows<KeyRow, "wanted", keyof KeyRow>("wanted", KEY_TYPES, parameter))
    .innerJoinLateral(
      (wanted) =>
        wanted
          .selectFrom("checkpoints as stored")
          .selectAll("stored")
          .where("stored.thread_id", "=", threadId)
          .whereRef("stored.checkpoint_ns", "=", "wanted.checkpoint_ns")
          .where("stored.checkpoint_id", "=", (eb) =>
            byId
              ? eb.ref("wanted.checkpoint_id")
              : // Finds the id in the index alone, before the row with its JSON is touched.
                eb
                  .selectFrom("checkpoints as newest")
                  .select("newest.checkpoint_id")
                  .where("newest.thread_id", "=", threadId)
                  .whereRef("newest.checkpoint_ns", "=", "wanted.checkpoint_ns")
                  .orderBy(sql`newest.checkpoint_id collate "C"`, "desc")
                  .limit(sql.lit(1)),
          )
          .limit(sql.lit(1))
          .as("matching"),
      (join) => join.onTrue(),
    )
    .selectAll("matching");
}
