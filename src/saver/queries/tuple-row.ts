import { type AliasableExpression, type AliasedExpression, sql } from "kysely";

/**
 * One row of what a read returns. Plain rows of one UNION ALL, told apart by `part`: arrays of bytea, as the official
 * saver aggregates them, take the driver twice as long to parse.
 *
 * - `checkpoint`: a checkpoint with its metadata, both as JSON text
 * - `value`: a blob, by (thread, namespace, channel, version), once however many checkpoints of the page share it
 * - `write`: a pending write of a checkpoint
 * - `send`: a write of a checkpoint's parent, where checkpoints before version 4 have their sends
 */
export interface TupleRow {
  part: "checkpoint" | "value" | "write" | "send";
  thread_id: string;
  checkpoint_ns: string;
  checkpoint_id: string | null;
  parent_checkpoint_id: string | null;
  checkpoint: string | null;
  metadata: string | null;
  channel: string | null;
  version: string | null;
  task_id: string | null;
  task_path: string | null;
  idx: number | null;
  type: string | null;
  /** In base64. */
  blob: string | null;
}

type Columns = { [Name in keyof TupleRow]: AliasableExpression<TupleRow[Name]> };
type KeyColumn = "thread_id" | "checkpoint_ns";
type TupleColumn = { [Name in keyof TupleRow]: AliasedExpression<TupleRow[Name], Name> }[keyof TupleRow];

/** The select list of one part: the columns that it has, and NULL for the others, always in the same order. */
export function tupleColumns(
  part: TupleRow["part"],
  has: Pick<Columns, KeyColumn> & Partial<Omit<Columns, KeyColumn | "part">>,
): TupleColumn[] {
  return [
    sql<TupleRow["part"]>`${sql.lit(part)}`.as("part"),
    has.thread_id.as("thread_id"),
    has.checkpoint_ns.as("checkpoint_ns"),
    (has.checkpoint_id ?? noText).as("checkpoint_id"),
    (has.parent_checkpoint_id ?? noText).as("parent_checkpoint_id"),
    (has.checkpoint ?? noText).as("checkpoint"),
    (has.metadata ?? noText).as("metadata"),
    (has.channel ?? noText).as("channel"),
    (has.version ?? noText).as("version"),
    (has.task_id ?? noText).as("task_id"),
    (has.task_path ?? noText).as("task_path"),
    (has.idx ?? noNumber).as("idx"),
    (has.type ?? noText).as("type"),
    (has.blob ?? noText).as("blob"),
  ];
}

const noText = /* @__PURE__ */ sql<string | null>`null::text`;
const noNumber = /* @__PURE__ */ sql<number | null>`null::integer`;
