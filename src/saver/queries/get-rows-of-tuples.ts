import { type QueryCreator, sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { runStatement } from "../../db/statements/run-statement.js";
import type { Parameter } from "../../db/statements/statement.js";
import { StatementFamily } from "../../db/statements/statement-family.js";
import { shapeOf, type TupleSelection } from "../model/tuple-shape.js";
import type { ReadShape, TupleKey } from "./get-tuple-rows.js";
import { rowsOfArrays } from "./rows-of-arrays.js";
import { pieceBytesOf } from "../../db/size-limits.js";
import { selectPageRows, withMatching } from "./select-tuple-rows.js";
import type { SentPageRow } from "./sent-row.js";
import { tableShape } from "./table-shape.js";
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
        threadId,
        threadIds: items.map((key) => key.threadId),
        checkpointNss: items.map(({ checkpointNs }) => checkpointNs),
        checkpointIds: items.map(({ checkpointId = "" }) => checkpointId),
        channels: selection.channels ?? [],
        pieceBytes: pieceBytesOf(call),
      }),
  );
  return rows.map(pageRowOf);
}

interface TuplesParams {
  /** The thread of all tuples, for a statement that names it. */
  readonly threadId: string;
  readonly threadIds: readonly string[];
  readonly checkpointNss: readonly string[];
  readonly checkpointIds: readonly string[];
  readonly channels: readonly string[];
  readonly pieceBytes: number;
}

const statements = /* @__PURE__ */ new StatementFamily<ReadShape, TuplesParams, SentPageRow>(
  (shape) => (db, parameter) =>
    selectPageRows(withMatching(db, matching(db, parameter, shape), shape), {
      shape,
      channels: parameter("channels"),
      pieceBytes: parameter("pieceBytes"),
      threadId: shape.namesThread ? parameter("threadId") : undefined,
    }),
);

function matching(
  db: QueryCreator<CheckpointDatabase>,
  parameter: Parameter<TuplesParams>,
  { byId, namesThread }: ReadShape,
) {
  const threadId = namesThread
    ? sql<string>`${parameter("threadId")}::text`
    : sql.ref<string>("wanted.thread_id");
  return db
    .selectFrom(
      rowsOfArrays<{ thread_id: string; checkpoint_ns: string; checkpoint_id: string }, "wanted">("wanted", {
        thread_id: sql`${parameter("threadIds")}::text[]`,
        checkpoint_ns: sql`${parameter("checkpointNss")}::text[]`,
        checkpoint_id: sql`${parameter("checkpointIds")}::text[]`,
      }),
    )
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
