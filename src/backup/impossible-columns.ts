import { isSplice } from "../splices/splice-type.js";

/** The columns of a value that no saver stores in every combination. */
interface BlobColumns {
  readonly type: string | null;
  readonly base?: string | null | undefined;
  readonly whole_bytes?: number | null | undefined;
}

/** What no saver stores in the columns of a value, whatever its bytes are; `undefined` where there is nothing of the kind. */
export function impossibleBlob({ type, base, whole_bytes }: BlobColumns): string | undefined {
  if ((whole_bytes ?? 0) < 0) return `the column "whole_bytes" is negative: ${whole_bytes}`;
  if (typeof base === "string" && !isSplice(type)) {
    return `the column "base" names version "${base}", and the value is not a splice`;
  }
  return undefined;
}

/** What no saver stores in the columns of a write. */
export function impossibleWrite({ task_path }: { readonly task_path: string | null }): string | undefined {
  return task_path === null ? 'the column "task_path" is NULL' : undefined;
}
