import { type QueryCreator, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { type CallContext, pieceBytesOf } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { type Parameter, StatementFamily } from "../../db/statements/statement.js";
import type { CheckpointKey } from "../model/keys.js";
import { shapeOf, type TupleSelection, type TupleShape } from "../model/tuple-shape.js";
import { getRowsOfTuples } from "./get-rows-of-tuples.js";
import {
  isListed,
  type ListConditions,
  listConditions,
  type ListPage,
  type ListParams,
  listParams,
  type ListScope,
} from "./list-scope.js";
import { selectPageRows, withMatching } from "./select-tuple-rows.js";
import type { SentPageRow } from "./sent-row.js";
import { tableShape } from "./get-tuple-rows.js";
import { type PageRow, pageRowOf } from "./tuple-row.js";

/** A page of a list. */
export interface ListedPage {
  readonly rows: readonly PageRow[];
  /** The checkpoints of the page in their order, where some of them may have been deleted before their rows were read. */
  readonly listed?: readonly CheckpointKey[];
}

/**
 * Reads one page of a list, newest first, with all rows of its tuples, in one statement. Where a statement names its thread, the
 * checkpoints of several threads are listed first, and the tuples of each thread are read by themselves.
 */
export async function listTupleRows(
  call: CallContext,
  scope: ListScope,
  selection: TupleSelection,
  page: ListPage,
): Promise<ListedPage> {
  const tables = await tableShape(call, selection);
  const conditions = listConditions(scope, page, tables.isOnNodes);
  const params = listParams(scope, page);
  if (tables.isOnNodes && scope.threadId === undefined) {
    const rows = await runStatement(call, keys.of(conditions), params);
    const listed = rows.map(keyOf);
    return { rows: await getRowsOfTuples(call, listed, selection), listed };
  }
  const statement = statements.of({ ...shapeOf(selection, call.policy, tables), ...conditions });
  const sent = await runStatement(call, statement, {
    ...params,
    channels: selection.channels ?? [],
    pieceBytes: pieceBytesOf(call),
  });
  return { rows: sent.map(pageRowOf) };
}

interface TuplesParams extends ListParams {
  readonly pieceBytes: number;
  readonly channels: readonly string[];
}

// One statement for each combination of conditions, so that each is planned for the conditions that it has.
const statements = new StatementFamily<TupleShape & ListConditions, TuplesParams, SentPageRow>(
  (shape) => (db, parameter) =>
    selectPageRows(withMatching(db, selectPage(db, parameter, shape).selectAll(), shape), {
      shape,
      channels: parameter("channels"),
      pieceBytes: parameter("pieceBytes"),
      threadId: shape.narrowed.includes("threadId") ? parameter("threadId") : undefined,
    }),
);

interface KeyRow {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  readonly checkpoint_id: string;
}

const keys = new StatementFamily<ListConditions, ListParams, KeyRow>(
  (conditions) => (db, parameter) =>
    selectPage(db, parameter, conditions).select(["thread_id", "checkpoint_ns", "checkpoint_id"]),
);

function keyOf({ thread_id, checkpoint_ns, checkpoint_id }: KeyRow): CheckpointKey {
  return { threadId: thread_id, checkpointNs: checkpoint_ns, checkpointId: checkpoint_id };
}

function selectPage(
  db: QueryCreator<CheckpointDatabase>,
  parameter: Parameter<ListParams>,
  conditions: ListConditions,
) {
  return db
    .selectFrom("checkpoints")
    .where((eb) => isListed(eb, conditions, parameter))
    .orderBy(sql`checkpoint_id collate "C"`, "desc")
    .orderBy(sql`thread_id collate "C"`, "desc")
    .orderBy(sql`checkpoint_ns collate "C"`, "desc")
    .limit(parameter("pageSize"));
}
