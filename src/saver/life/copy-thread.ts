import { runTransaction } from "../../db/run-statement.js";
import type { BoundStatement } from "../../db/statement.js";
import type { GuardStep } from "../../db/transaction-steps.js";
import { ThreadExistsError } from "../../errors.js";
import type { ContextualSerializer } from "../../serde/serde-context.js";
import { type CopiedThreads, copyHeaders, copyRows, type CopyRow } from "../queries/life/copy-rows.js";
import { selectCheckpointKeys } from "../queries/backup/select-checkpoint-keys.js";
import { addCounts, NO_ROWS, type RowCounts } from "../row-counts.js";
import { writeGuard } from "../write-guard.js";
import type { WritableTables } from "../write-rules.js";
import { copyValues } from "./copy-values.js";

/** Copies a thread; see `ThreadLife.copyThread`. */
export async function copyThread(
  tables: WritableTables,
  threads: CopiedThreads,
  serde: ContextualSerializer,
): Promise<RowCounts> {
  if (serde.bindsToPlace === undefined) return runCopy(tables, threads, copyRows(tables.schema, threads));
  return copyBoundThread(tables, threads, serde);
}

/**
 * Copies a thread whose values may be bound to their place: the values first, by way of this process and in portions, then
 * all of their checkpoints at once. So a reader sees no checkpoint of the copy before all of it is there. Should the call
 * end before, values without checkpoints are left behind, which the next call finds.
 *
 * The checkpoints are those that there were at the beginning: the values of a later one may have been missed. Each of them
 * that is still there in the end had all of its values all the time.
 */
async function copyBoundThread(
  tables: WritableTables,
  threads: CopiedThreads,
  serde: ContextualSerializer,
): Promise<RowCounts> {
  const { schema } = tables;
  const keys = await selectCheckpointKeys(tables, threads.source);
  // Copies no checkpoint yet, but is refused where the last step would be.
  await runCopy(tables, threads, copyHeaders(schema, threads, []));
  const values = await copyValues(tables, threads, serde, targetGuard(tables, threads));
  return addCounts(values, await runCopy(tables, threads, copyHeaders(schema, threads, keys)));
}

async function runCopy(
  tables: WritableTables,
  threads: CopiedThreads,
  statement: BoundStatement<CopyRow>,
): Promise<RowCounts> {
  const [rows = []] = await runTransaction(tables, {
    guard: targetGuard(tables, threads),
    statements: [statement],
  });
  const { stranger, ...counts } = rows[0] ?? { ...NO_ROWS, stranger: null };
  if (stranger === null) return counts;
  throw new ThreadExistsError(threads.source, { threadId: threads.target, checkpointId: stranger });
}

/** A thread that was deleted for good is not written to. */
function targetGuard(tables: WritableTables, { target }: CopiedThreads): readonly GuardStep[] {
  const place = { threadId: target, checkpointNs: "", checkpointId: "", taskId: "", taskPath: "" };
  return writeGuard(tables, [{ kind: "putWrites", writes: { ...place, writes: [] } }]);
}
