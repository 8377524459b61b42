import { addedColumns } from "../../db/added-columns.js";
import type { CallContext } from "../../db/call-context.js";
import { placementOf } from "../../db/placement/placement.js";
import type { TableShape, TupleSelection } from "../model/tuple-shape.js";

/**
 * Returns the shape of the tables for a read. A read of all parts needs migrated tables, since a run may continue from it, and would fail
 * only at its first write.
 */
export async function tableShape(
  call: CallContext,
  { channels, writes }: TupleSelection,
): Promise<TableShape> {
  const isWhole = channels === undefined && writes;
  const { form } = await placementOf(call);
  return {
    ...form,
    hasTaskPath: isWhole || (await addedColumns(call)).taskPath,
  };
}
