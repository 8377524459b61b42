/** A table that is partitioned, with its primary key in its order. */
export interface ConvertedTable {
  readonly name: "checkpoints" | "checkpoint_writes" | "checkpoint_blobs";
  readonly key: readonly KeyColumn[];
}

interface KeyColumn {
  readonly name: string;
  readonly type: "text" | "integer";
}

const NAMESPACE: readonly KeyColumn[] = [
  { name: "thread_id", type: "text" },
  { name: "checkpoint_ns", type: "text" },
];

/** The tables with rows of threads, in the order in which every writer locks them (C2). The few tombstones stay in one table. */
export const CONVERTED_TABLES: readonly ConvertedTable[] = [
  { name: "checkpoints", key: [...NAMESPACE, { name: "checkpoint_id", type: "text" }] },
  {
    name: "checkpoint_writes",
    key: [
      ...NAMESPACE,
      { name: "checkpoint_id", type: "text" },
      { name: "task_id", type: "text" },
      { name: "idx", type: "integer" },
    ],
  },
  {
    name: "checkpoint_blobs",
    key: [...NAMESPACE, { name: "channel", type: "text" }, { name: "version", type: "text" }],
  },
];

/** The table that replaces a table at the end of a conversion. */
export function nextName({ name }: ConvertedTable): string {
  return `${name}_next`;
}

/** The comment that distinguishes a replacement from a table of an application with the same name. */
export const REPLACEMENT_COMMENT =
  "langgraph-checkpoint-kysely: will replace the table when the conversion ends";

/** The trigger, and its function, that repeats each change of a table in the table that will replace it. */
export function mirrorName({ name }: ConvertedTable): string {
  return `${name}_mirror`;
}

/** The trigger that repeats TRUNCATE. */
export function truncateMirrorName(table: ConvertedTable): string {
  return `${mirrorName(table)}_truncate`;
}

/** The table that records how far a conversion is. It exists only until the conversion ends. */
export const PROGRESS_TABLE = "checkpoint_conversion";
