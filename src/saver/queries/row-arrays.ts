import type { BlobRow, CheckpointRows, HeaderRow, WriteRow } from "./checkpoint-rows.js";

/**
 * Rows as parameters of a statement: one array for each column, so that its text is the same for any number of rows.
 */
export type RowArrays = {
  readonly [Name in keyof HeaderRow as `header_${Name}`]: readonly HeaderRow[Name][];
} & {
  readonly [Name in keyof WriteRow as `write_${Name}`]: readonly WriteRow[Name][];
} & {
  readonly [Name in keyof Omit<BlobRow, "splice"> as `blob_${Name}`]-?: readonly Exclude<
    BlobRow[Name],
    undefined
  >[];
} & {
  /** By value, the version that its splice refers to. */
  readonly blob_base: readonly (string | null)[];
  readonly blob_baseMark: readonly (string | null)[];
  readonly blob_wholeBytes: readonly (number | null)[];
};

export function toRowArrays({ checkpoints, writes, blobs }: CheckpointRows): RowArrays {
  return {
    header_threadId: checkpoints.map(({ threadId }) => threadId),
    header_checkpointNs: checkpoints.map(({ checkpointNs }) => checkpointNs),
    header_checkpointId: checkpoints.map(({ checkpointId }) => checkpointId),
    header_parentCheckpointId: checkpoints.map(({ parentCheckpointId }) => parentCheckpointId),
    header_checkpoint: checkpoints.map(({ checkpoint }) => checkpoint),
    header_metadata: checkpoints.map(({ metadata }) => metadata),
    header_inlineSources: checkpoints.map(({ inlineSources }) => inlineSources),
    write_threadId: writes.map(({ threadId }) => threadId),
    write_checkpointNs: writes.map(({ checkpointNs }) => checkpointNs),
    write_checkpointId: writes.map(({ checkpointId }) => checkpointId),
    write_taskId: writes.map(({ taskId }) => taskId),
    write_taskPath: writes.map(({ taskPath }) => taskPath),
    write_idx: writes.map(({ idx }) => idx),
    write_channel: writes.map(({ channel }) => channel),
    write_type: writes.map(({ type }) => type),
    write_blob: writes.map(({ blob }) => blob),
    blob_threadId: blobs.map(({ threadId }) => threadId),
    blob_checkpointNs: blobs.map(({ checkpointNs }) => checkpointNs),
    blob_channel: blobs.map(({ channel }) => channel),
    blob_version: blobs.map(({ version }) => version),
    blob_type: blobs.map(({ type }) => type),
    blob_blob: blobs.map(({ blob }) => blob),
    blob_isCarried: blobs.map(({ isCarried }) => isCarried === true),
    blob_base: blobs.map(({ splice }) => splice?.base ?? null),
    blob_baseMark: blobs.map(({ splice }) => splice?.baseMark ?? null),
    blob_wholeBytes: blobs.map(({ splice }) => splice?.wholeBytes ?? null),
  };
}
