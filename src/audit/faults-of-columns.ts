import { WRITES_IDX_MAP } from "@langchain/langgraph-checkpoint";
import { isSplice } from "../splices/splice-type.js";
import type { BlobPageRow, WritePageRow } from "../saver/queries/get-value-page.js";

/** A write of a table whose column `task_path` may have lost its NOT NULL. */
export type CheckedWriteRow = Omit<WritePageRow, "task_path"> & { readonly task_path: string | null };

/**
 * What no saver stores beside a value of a channel.
 *
 * @param bytes - The length of the whole value, where the row is a splice that can be read.
 */
export function faultsOfBlob(
  { type, base = null, whole_bytes = null, blob }: BlobPageRow,
  bytes: number | undefined,
): string[] {
  const faults: string[] = [];
  const isEmpty = type === "empty";
  if (isEmpty && (blob ?? "") !== "") faults.push('the type is "empty", but there are bytes');
  if (base !== null && !isSplice(type)) faults.push(`it has the base "${base}", but it is no splice`);
  if (whole_bytes === null) return faults;
  if (whole_bytes < 0) faults.push(`"whole_bytes" is ${whole_bytes}`);
  else if (base === null) faults.push(`"whole_bytes" is ${whole_bytes}, but there is no base`);
  else if (bytes !== undefined && bytes !== whole_bytes) {
    faults.push(`"whole_bytes" is ${whole_bytes}, but the value has ${bytes} bytes`);
  }
  return faults;
}

/**
 * What no saver stores beside a write. Special channels at an index of 0 or more are no fault: earlier versions of LangGraph gave
 * interrupts and resumes the position among the writes.
 */
export function faultsOfWrite({
  task_id,
  task_path,
  checkpoint_id,
  idx,
  channel,
}: CheckedWriteRow): string[] {
  const special = Object.hasOwn(WRITES_IDX_MAP, channel) ? WRITES_IDX_MAP[channel] : undefined;
  return [
    ...(checkpoint_id === "" ? ['the column "checkpoint_id" is empty'] : []),
    ...(task_id === "" ? ['the column "task_id" is empty'] : []),
    ...(task_path === null ? ['the column "task_path" is NULL'] : []),
    ...(idx < 0 && idx !== special ? [`no writer gives the index ${idx} to this channel`] : []),
  ];
}
