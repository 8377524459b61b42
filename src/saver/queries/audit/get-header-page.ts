import { type RawBuilder, sql } from "kysely";
import type { CheckpointTables } from "../../../db/checkpoint-tables.js";
import { runStatement } from "../../../db/run-statement.js";
import { StatementFamily } from "../../../db/statement-family.js";
import type { CheckpointKey } from "../../checkpoint-key.js";
import { isOnPage, pageShapeOf, type PageParams, type PageShape, type TablePage } from "./table-page.js";

/** A header, and which of the rows that it refers to are there. */
export interface CheckedHeaderRow {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  readonly checkpoint_id: string;
  readonly parent_checkpoint_id: string | null;
  /** As text, as is the metadata; `null` where a column is. */
  readonly checkpoint: string | null;
  readonly metadata: string | null;
  /** Whether the parent is stored, if it has one. */
  readonly has_parent: boolean;
  /** The channels with neither a blob nor a value in the header, each with its version, as JSON text. */
  readonly missing: string | null;
  /** The channels whose blob says that they are empty, as JSON text; only where the parent is not stored. */
  readonly emptied: string | null;
  /** The channels whose value stands in the header only, as JSON text. */
  readonly inline: string | null;
}

/** Headers in the order of the primary key, each with what it lacks, as of one moment: one statement. */
export function getHeaderPage(
  tables: CheckpointTables,
  page: TablePage<CheckpointKey>,
): Promise<CheckedHeaderRow[]> {
  const { id, ...shape } = pageShapeOf(page);
  const { threadId = "", pageSize } = page;
  return runStatement(tables, statements.of(id, shape), {
    threadId,
    pageSize,
    fromThreadId: page.begin?.key.threadId ?? "",
    fromCheckpointNs: page.begin?.key.checkpointNs ?? "",
    fromCheckpointId: page.begin?.key.checkpointId ?? "",
  });
}

interface HeaderParams extends PageParams {
  readonly fromThreadId: string;
  readonly fromCheckpointNs: string;
  readonly fromCheckpointId: string;
}

interface PageHeader {
  thread_id: string;
  checkpoint_ns: string;
  checkpoint_id: string;
  parent_checkpoint_id: string | null;
  checkpoint: string | null;
  metadata: string | null;
  versions: unknown;
  inline_values: unknown;
}

const KEY = /* @__PURE__ */ sql`(stored.thread_id, stored.checkpoint_ns, stored.checkpoint_id)`;

const statements = /* @__PURE__ */ new StatementFamily<PageShape, HeaderParams, CheckedHeaderRow>(
  (shape) => (db, parameter) => {
    const from = sql`(${parameter("fromThreadId")}, ${parameter("fromCheckpointNs")}, ${parameter("fromCheckpointId")})`;
    return (
      db
        // What is needed of each header is taken out of it once: a long one is compressed, and each look unpacks it anew.
        .with(
          (cte) => cte("page").materialized(),
          (qb) =>
            qb
              .selectFrom("checkpoints as stored")
              .where(isOnPage(shape, parameter, KEY, from))
              .orderBy("stored.thread_id")
              .orderBy("stored.checkpoint_ns")
              .orderBy("stored.checkpoint_id")
              .limit(parameter("pageSize"))
              .select(["stored.thread_id", "stored.checkpoint_ns", "stored.checkpoint_id"])
              .select([
                "stored.parent_checkpoint_id",
                sql<PageHeader["checkpoint"]>`stored.checkpoint::text`.as("checkpoint"),
                sql<PageHeader["metadata"]>`stored.metadata::text`.as("metadata"),
                objectAt(sql`stored.checkpoint -> 'channel_versions'`).as("versions"),
                objectAt(sql`stored.checkpoint -> 'channel_values'`).as("inline_values"),
              ]),
        )
        .selectFrom("page")
        .select(["page.thread_id", "page.checkpoint_ns", "page.checkpoint_id", "page.parent_checkpoint_id"])
        .select(["page.checkpoint", "page.metadata"])
        .select((eb) => {
          const parent = eb
            .selectFrom("checkpoints as parent")
            .select("parent.checkpoint_id")
            .whereRef("parent.thread_id", "=", "page.thread_id")
            .whereRef("parent.checkpoint_ns", "=", "page.checkpoint_ns")
            .whereRef("parent.checkpoint_id", "=", "page.parent_checkpoint_id")
            .limit(sql.lit(1));
          // Not EXISTS, for which the planner may read a whole table, for every page anew.
          const hasParent = sql<boolean>`(page.parent_checkpoint_id is null or (${parent}) is not null)`;
          const blob = eb
            .selectFrom("checkpoint_blobs as stored")
            .select("stored.type")
            .whereRef("stored.thread_id", "=", "page.thread_id")
            .whereRef("stored.checkpoint_ns", "=", "page.checkpoint_ns")
            .where("stored.channel", "=", sql<string>`entry.channel`)
            .where("stored.version", "=", sql<string>`entry.version`)
            .limit(sql.lit(1));
          const isEmpty = sql<string>`(${blob}) = 'empty'`;
          return [
            hasParent.as("has_parent"),
            channels(sql`json_build_array(channel, version)`, sql`(${blob}) is null`).as("missing"),
            sql<
              string | null
            >`case when not ${hasParent} then ${channels(sql`to_json(channel)`, isEmpty)} end`.as("emptied"),
            sql<string | null>`(
              select json_agg(channel)::text from (
                select name as channel, page.versions ->> name as version from jsonb_object_keys(page.inline_values) name
              ) entry where coalesce((${blob}), 'empty') = 'empty'
            )`.as("inline"),
          ];
        })
        .orderBy("page.thread_id")
        .orderBy("page.checkpoint_ns")
        .orderBy("page.checkpoint_id")
    );
  },
);

/** A list of those channels without a value in the header for which `condition` holds. */
function channels(item: RawBuilder<unknown>, condition: RawBuilder<unknown>): RawBuilder<string | null> {
  return sql<string | null>`(
    select json_agg(${item})::text from jsonb_each_text(page.versions) entry(channel, version)
    where version is not null and not coalesce(jsonb_exists(page.inline_values, channel), false) and ${condition}
  )`;
}

/** `null` where a row is so corrupt that it is no object. */
function objectAt(json: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`case when jsonb_typeof(${json}) = 'object' then ${json} end`;
}
