import { type QueryCreator, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import type { CheckpointTables } from "../../db/checkpoint-tables.js";
import { runStatement } from "../../db/run-statement.js";
import { type Parameter, Statement } from "../../db/statement.js";
import type { CheckpointKey, NamespaceKey } from "../checkpoint-key.js";
import { pieceBytesOf } from "./sent-bytes.js";
import { selectTupleRows, type WithMatching } from "./select-tuple-rows.js";
import type { TupleRow } from "./tuple-row.js";
import { shapeOf, type TupleSelection, type TupleShape } from "./tuple-shape.js";

/**
 * Everything that one checkpoint's tuple is made of, in one statement. Without `checkpointId`: the newest checkpoint
 * of the namespace. No rows where there is none.
 */
export function getTupleRows(
  tables: CheckpointTables,
  key: NamespaceKey & Partial<CheckpointKey>,
  selection: TupleSelection,
): Promise<TupleRow[]> {
  const { threadId, checkpointNs, checkpointId } = key;
  return runStatement(tables, statementFor(selection, checkpointId !== undefined), {
    threadId,
    checkpointNs,
    checkpointId: checkpointId ?? "",
    channels: selection.channels ?? [],
    pieceBytes: pieceBytesOf(tables),
  });
}

interface TupleParams extends CheckpointKey {
  readonly pieceBytes: number;
  readonly channels: readonly string[];
}

// One statement for each shape that is used.
const statements = /* @__PURE__ */ new Map<string, Statement<TupleParams, TupleRow>>();

function statementFor(selection: TupleSelection, byId: boolean): Statement<TupleParams, TupleRow> {
  const shape = shapeOf(selection);
  const id = `${shape.id} ${byId ? "by id" : "newest"}`;
  const known = statements.get(id);
  if (known !== undefined) return known;
  const statement = buildStatement(shape, byId);
  statements.set(id, statement);
  return statement;
}

function buildStatement(shape: TupleShape, byId: boolean): Statement<TupleParams, TupleRow> {
  return new Statement((db, parameter) =>
    selectTupleRows(byId ? withNamed(db, parameter) : withNewest(db, parameter), {
      shape,
      channels: parameter("channels"),
      pieceBytes: parameter("pieceBytes"),
      threadId: parameter("threadId"),
    }),
  );
}

function withNamed(
  db: QueryCreator<CheckpointDatabase>,
  parameter: Parameter<TupleParams>,
): QueryCreator<WithMatching> {
  return db.with("matching", (qb) =>
    qb
      .selectFrom("checkpoints")
      .selectAll()
      .where("thread_id", "=", parameter("threadId"))
      .where("checkpoint_ns", "=", parameter("checkpointNs"))
      .where("checkpoint_id", "=", parameter("checkpointId")),
  );
}

function withNewest(
  db: QueryCreator<CheckpointDatabase>,
  parameter: Parameter<TupleParams>,
): QueryCreator<WithMatching> {
  return db.with("matching", (qb) =>
    qb
      .selectFrom("checkpoints")
      .selectAll()
      .where("thread_id", "=", parameter("threadId"))
      .where("checkpoint_ns", "=", parameter("checkpointNs"))
      .where("checkpoint_id", "=", (eb) =>
        // Finds the id in the index alone, before the row with its JSON is touched.
        eb
          .selectFrom("checkpoints")
          .select("checkpoint_id")
          .where("thread_id", "=", parameter("threadId"))
          .where("checkpoint_ns", "=", parameter("checkpointNs"))
          .orderBy(sql`checkpoint_id collate "C"`, "desc")
          .limit(sql.lit(1)),
      ),
  );
}
