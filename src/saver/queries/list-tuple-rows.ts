import { type CallContext, pieceBytesOf } from "../../db/call-context.js";
import { placementOf } from "../../db/placement/placement.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { runUncompiled } from "../../db/statements/run-uncompiled.js";
import { StatementFamily } from "../../db/statements/statement.js";
import type { CheckpointKey } from "../model/keys.js";
import { shapeOf, type TupleSelection, type TupleShape } from "../model/tuple-shape.js";
import { type KeyRow, selectKeys, selectPage } from "./list-page.js";
import {
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

/** Reads one page of a list of a thread, newest first, with all rows of its tuples, in one statement. */
export async function listTupleRows(
  call: CallContext,
  scope: ListScope,
  selection: TupleSelection,
  page: ListPage,
): Promise<PageRow[]> {
  const tables = await tableShape(call, selection);
  const conditions = listConditions(scope, page, tables.isOnNodes);
  const statement = statements.of({ ...shapeOf(selection, call.policy, tables), ...conditions });
  const sent = await runStatement(call, statement, {
    ...listParams(scope, page),
    channels: selection.channels ?? [],
    pieceBytes: pieceBytesOf(call),
  });
  return sent.map(pageRowOf);
}

/** Reads only the keys of the checkpoints of a page, newest first. Where no thread is named, it may read those of all threads. */
export async function listKeys(
  call: CallContext,
  scope: ListScope,
  page: ListPage,
): Promise<CheckpointKey[]> {
  const { isOnNodes } = await placementOf(call);
  const statement = keys.of(listConditions(scope, page, isOnNodes));
  const run = scope.threadId === undefined && !isOnNodes ? runUncompiled : runStatement;
  const rows = await run(call, statement, listParams(scope, page));
  return rows.map(keyOf);
}

interface TuplesParams extends ListParams {
  readonly pieceBytes: number;
  readonly channels: readonly string[];
}

// One statement for each combination of conditions, so that each is planned for the conditions that it has.
const statements = new StatementFamily<TupleShape & ListConditions, TuplesParams, SentPageRow>(
  (shape) => (db, parameter) =>
    selectPageRows(withMatching(db, selectPage(db, parameter, shape), shape), {
      shape,
      channels: parameter("channels"),
      pieceBytes: parameter("pieceBytes"),
      threadId: shape.narrowed.includes("threadId") ? parameter("threadId") : undefined,
    }),
);

const keys = new StatementFamily<ListConditions, ListParams, KeyRow>(
  (conditions) => (db, parameter) => selectKeys(db, parameter, conditions),
);

function keyOf({ thread_id, checkpoint_ns, checkpoint_id }: KeyRow): CheckpointKey {
  return { threadId: thread_id, checkpointNs: checkpoint_ns, checkpointId: checkpoint_id };
}
