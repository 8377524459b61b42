import { type AliasableExpression, type AliasedExpression, sql } from "kysely";

/**
 * One row of what a read returns. Reads return plain rows of one UNION ALL, distinguished by `part`: the arrays of bytea that the
 * official saver aggregates take the driver twice as long to parse. All parts share a few columns, because each column costs
 * time in every row of every read: on the server, on the way, and in the driver.
 *
 * | part         | meaning                                                      | name          | detail               | content         | kind          |
 * | ------------ | ------------------------------------------------------------ | ------------- | -------------------- | --------------- | ------------- |
 * | `checkpoint` | a checkpoint with its metadata, both as JSON text            | checkpoint_id | parent_checkpoint_id | checkpoint      | metadata      |
 * | `value`      | a blob, once however many checkpoints of the page share it   | channel       | version              |                 | type          |
 * | `write`      | a pending write                                              | channel       | task_id              | task_path       | type          |
 * | `send`       | a write of the parent, where old checkpoints have their sends | channel       | task_id              | task_path       | type          |
 */
export interface TupleRow {
  part: "checkpoint" | "value" | "write" | "send";
  name: string;
  detail: string | null;
  content: string | null;
  kind: string | null;
  idx: number | null;
  /** The bytes, as `sentBytes` selects them. */
  blob: string | null;
}

/** A row of a read of several checkpoints. It also says which checkpoint it belongs to. */
export interface PageRow extends TupleRow {
  thread_id: string;
  checkpoint_ns: string;
  /** `null` for a value, which several checkpoints may share. */
  checkpoint_id: string | null;
}

type Columns = { [Name in keyof PageRow]: AliasableExpression<PageRow[Name]> };
type Column = { [Name in keyof PageRow]: AliasedExpression<PageRow[Name], Name> }[keyof PageRow];

/** The columns of a part. Those that are not named are NULL. */
type PartColumns = Pick<Columns, "name" | "detail" | "kind"> &
  Partial<Pick<Columns, "checkpoint_id" | "content" | "idx" | "blob">>;

/** Builds the select list of one part, always in the same order. */
export type SelectPart = (
  part: TupleRow["part"],
  owner: Pick<Columns, "thread_id" | "checkpoint_ns">,
  has: PartColumns,
) => Column[];

/** The columns of a {@link TupleRow}, which all belong to one checkpoint. */
export const tupleColumns: SelectPart = (part, _owner, has) => [
  sql<TupleRow["part"]>`${sql.lit(part)}`.as("part"),
  has.name.as("name"),
  has.detail.as("detail"),
  (has.content ?? noText).as("content"),
  has.kind.as("kind"),
  (has.idx ?? noNumber).as("idx"),
  (has.blob ?? noText).as("blob"),
];

/** The columns of a {@link PageRow}. */
export const pageColumns: SelectPart = (part, owner, has) => [
  ...tupleColumns(part, owner, has),
  owner.thread_id.as("thread_id"),
  owner.checkpoint_ns.as("checkpoint_ns"),
  (has.checkpoint_id ?? noText).as("checkpoint_id"),
];

const noText = /* @__PURE__ */ sql<string | null>`null::text`;
const noNumber = /* @__PURE__ */ sql<number | null>`null::integer`;
