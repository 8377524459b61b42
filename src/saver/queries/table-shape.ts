import { addedColumns } from "../../db/added-columns.js";
import type { CallContext } from "../../db/call-context.js";
import { placementOf, type StatementForm } from "../../db/placement/placement.js";
import type { TableShape, TupleSelection } from "../model/tuple-shape.js";

/**
 * Returns the shape of the tables for a read. A read of all parts needs migrated tables, since a run may continue from it, and would fail
 * only at its first write.
 *
 * @param known - The form of the statement, where the caller has chosen it.
 */
export async function tableShape(
  call: CallContext,
  { channels, writes }: TupleSelection,
  known?: StatementForm,
): Promise<TableShape> {
  const isWhole = channels === undefined && writes;
  const form = known ?? (await placementOf(call)).form;
  return {
    ...form,
    hasTaskPath: isWhole || (await addedColumns(call)).taskPath,
  };
}
