import type { LeftRows } from "../../backup/left-threads.js";
import { describeNamed, describePlaces } from "./describe-rows.js";

/** Lines that name the threads that an import or a restore has left; empty if there are none. */
export function describeLeft({ damaged, tombstoned }: LeftRows): string {
  return (
    describePlaces("left (`verify` finds rows that are damaged)", damaged) +
    describeNamed("deleted, and left (`tombstones lift` allows writes to them again)", tombstoned)
  );
}
