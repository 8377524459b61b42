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
import type { Parameter } from "../../db/statements/statement.js";
import { StatementFamily } from "../../db/statements/statement-family.js";

/** The checkpoint that a page goes on behind. */
export interface PagePlace {
  readonly checkpointId: string;
  readonly checkpointNs: string;
}

/** Which checkpoints a page has. */
export interface PageRange {
  readonly threadId: string;
  /** `undefined` begins with the newest. */
  readonly before: PagePlace | undefined;
  /** The number of checkpoints at most. */
  readonly rows: number;
  /** How many bytes their headers may have, as they are stored; one comes however long it is. */
  readonly bytes: number;
}

/**
 * A row of a page: a checkpoint, or the key of a value that one of them refers to, or of a write beside one of them.
 */
export interface PageRow {
  part: "checkpoint" | "blob" | "write";
  checkpoint_ns: string;
  /** `null` of a blob. */
  checkpoint_id: string | null;
  parent_checkpoint_id: string | null;
  type: string | null;
  /** As text, as is the metadata. */
  checkpoint: string | null;
  metadata: string | null;
  channel: string | null;
  version: string | null;
  task_id: string | null;
  idx: number | null;
  /** The length of a value. */
  bytes: number | null;
}

/**
 * Checkpoints of a thread in all of its namespaces, the newest first, and which rows belong to them: all as of one moment,
 * as it is one statement. Values are not read.
 */
export function getBackupPage(call: CallContext, range: PageRange): Promise<PageRow[]> {
  const shape = range.before === undefined ? "first" : "next";
  return runStatement(call, statements.of(shape, shape), {
    threadId: range.threadId,
    rows: range.rows,
    maxBytes: range.bytes,
    beforeId: range.before?.checkpointId ?? "",
    beforeNs: range.before?.checkpointNs ?? "",
  });
}

interface PageParams {
  readonly threadId: string;
  readonly rows: number;
  readonly maxBytes: number;
  readonly beforeId: string;
  readonly beforeNs: string;
}

interface Page {
  thread_id: string;
  checkpoint_ns: string;
  checkpoint_id: string;
  parent_checkpoint_id: string | null;
  type: string | null;
  checkpoint: unknown;
  metadata: unknown;
}

type WithPage = CheckpointDatabase & { page: Page };

const NEWEST_FIRST = /* @__PURE__ */ sql`checkpoint_id collate "C" desc, checkpoint_ns collate "C" desc`;

const statements = /* @__PURE__ */ new StatementFamily<"first" | "next", PageParams, PageRow>(
  (shape) => (db, parameter) => selectParts(withPage(db, parameter, shape)),
);

/** Looks at the lengths as they are stored, for which no header has to be read. */
function withPage(
  db: QueryCreator<CheckpointDatabase>,
  parameter: Parameter<PageParams>,
  shape: "first" | "next",
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
                  sql<boolean>`(checkpoint_id collate "C", checkpoint_ns collate "C") < (${parameter("beforeId")}, ${parameter("beforeNs")})`,
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
        "thread_id",
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

function selectParts(db: QueryCreator<WithPage>) {
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
                .innerJoin(versionsOfPage().as<"used">(sql`used(channel, version)`), (join) => join.onTrue())
                .select(["page.thread_id", "page.checkpoint_ns", "used.channel", "used.version"])
                .distinct()
                .as("used"),
            )
            .select([
              sql<string[]>`array_agg(used.thread_id)`.as("threads"),
              sql<string[]>`array_agg(used.checkpoint_ns)`.as("namespaces"),
              sql<string[]>`array_agg(used.channel)`.as("channels"),
              sql<string[]>`array_agg(used.version)`.as("versions"),
            ])
            .as("keys"),
        )
        // By way of arrays: Postgres expects 100 entries of each header, and would compile the statement for so many.
        .innerJoin(
          sql<{ thread_id: string; checkpoint_ns: string; channel: string; version: string }>`unnest(
            keys.threads, keys.namespaces, keys.channels, keys.versions
          )`.as<"used">(sql`used(thread_id, checkpoint_ns, channel, version)`),
          (join) => join.onTrue(),
        )
        .innerJoinLateral(
          (eb) =>
            eb
              .selectFrom("checkpoint_blobs as one")
              .select(["one.checkpoint_ns", "one.channel", "one.version"])
              .select(sql<number | null>`octet_length(one.blob)`.as("bytes"))
              .whereRef("one.thread_id", "=", "used.thread_id")
              .whereRef("one.checkpoint_ns", "=", "used.checkpoint_ns")
              .whereRef("one.channel", "=", "used.channel")
              .whereRef("one.version", "=", "used.version")
              // Has each looked up by the index, whatever the statistics say.
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
              .whereRef("one.thread_id", "=", "page.thread_id")
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

/** A header that is none refers to nothing: it is backed up as it is. */
function versionsOfPage(): RawBuilder<{ channel: string; version: string }> {
  const versions = sql`page.checkpoint -> 'channel_versions'`;
  return sql`lateral jsonb_each_text(case when jsonb_typeof(${versions}) = 'object' then ${versions} else '{}' end)`;
}

type Columns = { [Name in keyof PageRow]: AliasableExpression<PageRow[Name]> };
type PageColumn = { [Name in keyof PageRow]: AliasedExpression<PageRow[Name], Name> }[keyof PageRow];

/** The select list of one part: the columns that it has, and NULL for the others, always in the same order. */
function pageColumns(
  part: PageRow["part"],
  has: Pick<Columns, "checkpoint_ns"> & Partial<Columns>,
): PageColumn[] {
  const noText = sql<string | null>`null::text`;
  const noNumber = sql<number | null>`null::integer`;
  return [
    sql<PageRow["part"]>`${sql.lit(part)}`.as("part"),
    has.checkpoint_ns.as("checkpoint_ns"),
    (has.checkpoint_id ?? noText).as("checkpoint_id"),
    (has.parent_checkpoint_id ?? noText).as("parent_checkpoint_id"),
    (has.type ?? noText).as("type"),
    (has.checkpoint ?? noText).as("checkpoint"),
    (has.metadata ?? noText).as("metadata"),
    (has.channel ?? noText).as("channel"),
    (has.version ?? noText).as("version"),
    (has.task_id ?? noText).as("task_id"),
    (has.idx ?? noNumber).as("idx"),
    (has.bytes ?? noNumber).as("bytes"),
  ];
}
