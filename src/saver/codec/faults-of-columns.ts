import { WRITES_IDX_MAP } from "@langchain/langgraph-checkpoint";
import { isSplice } from "../../splices/splice-type.js";

/** The columns of a value besides its key. */
export interface BlobColumns {
  readonly type: string | null;
  readonly base?: string | null | undefined;
  readonly whole_bytes?: number | null | undefined;
  /** The bytes in any form. Absent where they are not at hand. */
  readonly blob?: Uint8Array | string | null | undefined;
}

/**
 * What no saver stores in the columns of a value.
 *
 * @param bytes - The length of the whole value, where the row is a splice that can be read.
 */
export function faultsOfBlob({ type, base, whole_bytes, blob }: BlobColumns, bytes?: number): string[] {
  const faults: string[] = [];
  if (type === "empty" && (blob?.length ?? 0) > 0) faults.push('the type is "empty", but there are bytes');
  if (typeof base === "string" && !isSplice(type))
    faults.push(`it has the base "${base}", but it is no splice`);
  if (typeof whole_bytes !== "number") return faults;
  if (whole_bytes < 0) faults.push(`"whole_bytes" is ${whole_bytes}`);
  else if (typeof base !== "string") faults.push(`"whole_bytes" is ${whole_bytes}, but there is no base`);
  else if (bytes !== undefined && bytes !== whole_bytes) {
    faults.push(`"whole_bytes" is ${whole_bytes}, but the value has ${bytes} bytes`);
  }
  return faults;
}

/** The columns of a write. `task_path` may have lost its NOT NULL. */
export interface WriteColumns {
  readonly checkpoint_id: string;
  readonly task_id: string;
  readonly task_path: string | null;
  readonly idx: number;
  readonly channel: string;
}

/**
 * What no saver stores in the columns of a write. Special channels at an index of 0 or more are no fault: earlier versions of LangGraph gave
 * interrupts and resumes the position among the writes.
 */
export function faultsOfWrite({ task_id, task_path, checkpoint_id, idx, channel }: WriteColumns): string[] {
  const special = Object.hasOwn(WRITES_IDX_MAP, channel) ? WRITES_IDX_MAP[channel] : undefined;
  return [
    ...(checkpoint_id === "" ? ['the column "checkpoint_id" is empty'] : []),
    ...(task_id === "" ? ['the column "task_id" is empty'] : []),
    ...(task_path === null ? ['the column "task_path" is NULL'] : []),
    ...(idx < 0 && idx !== special ? [`no writer gives the index ${idx} to this channel`] : []),
  ];
}
