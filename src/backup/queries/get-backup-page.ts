import type { RestoredCheckpoint } from "../../saver/queries/restored-rows.js";
import type { BlobKeyRow, PageCursor, WriteKeyRow } from "./get-row-keys.js";
import {
  type AliasableExpression,
  type AliasedExpression,
  type QueryCreator,
  type RawBuilder,
  sql,
} from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { type Parameter, StatementFamily } from "../../db/statements/statement.js";
import { eachChannelVersion } from "../../saver/queries/header-parts.js";

/** The checkpoints of a page: those after another one, or those with given keys. */
export interface PageRange {
  readonly threadId: string;
  /** `undefined` begins with the newest checkpoint. */
  readonly after?: PageCursor | undefined;
  /** Only these checkpoints. Default: all. */
  readonly keys?: readonly PageCursor[] | undefined;
  /** The most checkpoints of a page. */
  readonly rows: number;
  /** The most bytes of headers, by their stored size. The first checkpoint comes however long it is. */
  readonly bytes: number;
}

/** A checkpoint of a page. */
export interface CheckpointPart extends Omit<RestoredCheckpoint, "thread_id"> {
  readonly part: "checkpoint";
}

/** The key of a value that a checkpoint of the page references. */
interface BlobPart extends BlobKeyRow {
  readonly part: "blob";
}

export type BackupPageRow = CheckpointPart | BlobPart | (WriteKeyRow & { readonly part: "write" });

/** The columns of all parts. Those that a part does not have are NULL. */
type PageColumns = { part: BackupPageRow["part"]; checkpoint_ns: string } & Record<
  Exclude<keyof CheckpointPart | keyof BlobPart | "task_id", "part" | "checkpoint_ns" | "bytes">,
  string | null
> &
  Record<"idx" | "bytes", number | null>;

/**
 * Reads checkpoints of a thread in all of its namespaces, the newest first, and the keys of their values and writes. One
 * statement reads all of them from one snapshot. It reads no values.
 */
export async function getThreadPage(call: CallContext, range: PageRange): Promise<BackupPageRow[]> {
  const shape = range.keys !== undefined ? "given" : range.after === undefined ? "first" : "next";
  const { keys = [] } = range;
  const rows = await runStatement(call, statements.of(shape), {
    threadId: range.threadId,
    rows: range.rows,
    maxBytes: range.bytes,
    afterId: range.after?.checkpointId ?? "",
    afterNs: range.after?.checkpointNs ?? "",
    ids: keys.map(({ checkpointId }) => checkpointId),
    namespaces: keys.map(({ checkpointNs }) => checkpointNs),
  });
  // The statement fills the columns of each part.
  return rows as BackupPageRow[];
}

type Shape = "first" | "next" | "given";

interface PageParams {
  readonly ids: readonly string[];
  readonly namespaces: readonly string[];
  readonly threadId: string;
  readonly rows: number;
  readonly maxBytes: number;
  readonly afterId: string;
  readonly afterNs: string;
}

interface Page extends Omit<RestoredCheckpoint, "thread_id" | "checkpoint" | "metadata"> {
  checkpoint: unknown;
  metadata: unknown;
}

type WithPage = CheckpointDatabase & { page: Page };

const NEWEST_FIRST = sql`checkpoint_id collate "C" desc, checkpoint_ns collate "C" desc`;

const statements = new StatementFamily<Shape, PageParams, PageColumns>(
  (shape) => (db, parameter) => selectParts(withPage(db, parameter, shape), parameter("threadId")),
);

/** Limits the page by the stored lengths of headers, which Postgres knows without reading them. */
function withPage(
  db: QueryCreator<CheckpointDatabase>,
  parameter: Parameter<PageParams>,
  shape: Shape,
): QueryCreator<WithPage> {
  return db.with("page", (qb) =>
    qb
      .selectFrom((eb) =>
        eb
          .selectFrom(
            eb
              .selectFrom("checkpoints")
              .selectAll()
              .where("thread_id", "=", parameter("threadId"))
              .$if(shape === "next", (query) =>
                query.where(
                  sql<boolean>`(checkpoint_id collate "C", checkpoint_ns collate "C") < (${parameter("afterId")}, ${parameter("afterNs")})`,
                ),
              )
              .$if(shape === "given", (query) =>
                query.where(
                  sql<boolean>`(checkpoint_ns, checkpoint_id) in (
                    select * from unnest(${parameter("namespaces")}::text[], ${parameter("ids")}::text[]))`,
                ),
              )
              .orderBy(NEWEST_FIRST)
              .limit(sql<number>`${parameter("rows")}::integer`)
              .as("newest"),
          )
          .selectAll()
          .select([
            sql<number>`row_number() over newest_first`.as("position"),
            sql<number>`sum(pg_column_size(checkpoint)::bigint + pg_column_size(metadata)) over newest_first`.as(
              "bytes",
            ),
          ])
          .modifyEnd(sql`window newest_first as (order by ${NEWEST_FIRST})`)
          .as("measured"),
      )
      .select([
        "checkpoint_ns",
        "checkpoint_id",
        "parent_checkpoint_id",
        "type",
        sql`checkpoint`.as("checkpoint"),
        sql`metadata`.as("metadata"),
      ])
      .where((eb) =>
        eb.or([
          eb("position", "=", sql.lit(1)),
          eb("bytes", "<=", sql<number>`${parameter("maxBytes")}::bigint`),
        ]),
      ),
  );
}

function selectParts(db: QueryCreator<WithPage>, threadId: RawBuilder<string>) {
  return db
    .selectFrom("page")
    .select((eb) =>
      pageColumns("checkpoint", {
        checkpoint_ns: eb.ref("page.checkpoint_ns"),
        checkpoint_id: eb.ref("page.checkpoint_id"),
        parent_checkpoint_id: eb.ref("page.parent_checkpoint_id"),
        type: eb.ref("page.type"),
        checkpoint: sql<string | null>`page.checkpoint::text`,
        metadata: sql<string | null>`page.metadata::text`,
      }),
    )
    .unionAll((qb) =>
      qb
        .selectFrom((eb) =>
          eb
            .selectFrom((used) =>
              used
                .selectFrom("page")
                .innerJoinLateral(eachChannelVersion(sql`page.checkpoint -> 'channel_versions'`), (join) =>
                  join.onTrue(),
                )
                .select(["page.checkpoint_ns", "entry.channel", "entry.version"])
                .distinct()
                .as("used"),
            )
            .select([
              sql<string[]>`array_agg(used.checkpoint_ns)`.as("namespaces"),
              sql<string[]>`array_agg(used.channel)`.as("channels"),
              sql<string[]>`array_agg(used.version)`.as("versions"),
            ])
            .as("keys"),
        )
        // Arrays instead of a plain join: Postgres estimates 100 entries for each header, and would use JIT for so many rows.
        .innerJoin(
          sql<{ checkpoint_ns: string; channel: string; version: string }>`unnest(
            keys.namespaces, keys.channels, keys.versions
          )`.as<"used">(sql`used(checkpoint_ns, channel, version)`),
          (join) => join.onTrue(),
        )
        .innerJoinLateral(
          (eb) =>
            eb
              .selectFrom("checkpoint_blobs as one")
              .select(["one.checkpoint_ns", "one.channel", "one.version"])
              .select(sql<number | null>`octet_length(one.blob)`.as("bytes"))
              .where("one.thread_id", "=", threadId)
              .whereRef("one.checkpoint_ns", "=", "used.checkpoint_ns")
              .whereRef("one.channel", "=", "used.channel")
              .whereRef("one.version", "=", "used.version")
              // OFFSET 0 makes the planner look up each blob by the index, whatever the statistics say.
              .offset(sql.lit(0))
              .as("stored"),
          (join) => join.onTrue(),
        )
        .select((eb) =>
          pageColumns("blob", {
            checkpoint_ns: eb.ref("stored.checkpoint_ns"),
            channel: eb.ref("stored.channel"),
            version: eb.ref("stored.version"),
            bytes: eb.ref("stored.bytes"),
          }),
        ),
    )
    .unionAll((qb) =>
      qb
        .selectFrom("page")
        .innerJoinLateral(
          (eb) =>
            eb
              .selectFrom("checkpoint_writes as one")
              .select(["one.checkpoint_ns", "one.checkpoint_id", "one.task_id", "one.idx"])
              .select(sql<number | null>`octet_length(one.blob)`.as("bytes"))
              .where("one.thread_id", "=", threadId)
              .whereRef("one.checkpoint_ns", "=", "page.checkpoint_ns")
              .whereRef("one.checkpoint_id", "=", "page.checkpoint_id")
              .offset(sql.lit(0))
              .as("write"),
          (join) => join.onTrue(),
        )
        .select((eb) =>
          pageColumns("write", {
            checkpoint_ns: eb.ref("write.checkpoint_ns"),
            checkpoint_id: eb.ref("write.checkpoint_id"),
            task_id: eb.ref("write.task_id"),
            idx: eb.ref("write.idx"),
            bytes: eb.ref("write.bytes"),
          }),
        ),
    );
}

type Columns = { [Name in keyof PageColumns]: AliasableExpression<PageColumns[Name]> };
type PageColumn = {
  [Name in keyof PageColumns]: AliasedExpression<PageColumns[Name], Name>;
}[keyof PageColumns];

/** The select list of one part: its own columns and NULL for the others, in the order that UNION ALL needs. */
function pageColumns(
  part: PageColumns["part"],
  own: Pick<Columns, "checkpoint_ns"> & Partial<Columns>,
): PageColumn[] {
  const noText = sql<string | null>`null::text`;
  const noNumber = sql<number | null>`null::integer`;
  return [
    sql<PageColumns["part"]>`${sql.lit(part)}`.as("part"),
    own.checkpoint_ns.as("checkpoint_ns"),
    (own.checkpoint_id ?? noText).as("checkpoint_id"),
    (own.parent_checkpoint_id ?? noText).as("parent_checkpoint_id"),
    (own.type ?? noText).as("type"),
    (own.checkpoint ?? noText).as("checkpoint"),
    (own.metadata ?? noText).as("metadata"),
    (own.channel ?? noText).as("channel"),
    (own.version ?? noText).as("version"),
    (own.task_id ?? noText).as("task_id"),
    (own.idx ?? noNumber).as("idx"),
    (own.bytes ?? noNumber).as("bytes"),
  ];
}
