import { type ExpressionBuilder, type RawBuilder, sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { queryOf, runStatement } from "../../db/statements/run-statement.js";
import { StatementFamily } from "../../db/statements/statement.js";
import type { CheckpointKey } from "../../saver/model/keys.js";
import {
  isOnPage,
  pageShapeOf,
  type PageParams,
  type PageShape,
  type TablePage,
} from "../../saver/queries/table-page.js";

/** A header, and which of the rows that it references are stored. */
export interface CheckedHeaderRow {
  readonly thread_id: string;
  readonly checkpoint_ns: string;
  readonly checkpoint_id: string;
  readonly parent_checkpoint_id: string | null;
  /** The header as JSON text, as is `metadata`; `null` if the column is NULL. */
  readonly checkpoint: string | null;
  readonly metadata: string | null;
  /** Whether the parent is stored. `true` if the checkpoint has no parent. */
  readonly has_parent: boolean;
  /** The checkpoints that the metadata names as its parents, and that are not stored, each with its namespace, as JSON text. */
  readonly missing_parents: string | null;
  /** The channels with neither a blob nor a value in the header, each with its version, as JSON text. */
  readonly missing: string | null;
  /** The channels whose blob marks them as empty, as JSON text; only if the parent is not stored. */
  readonly emptied: string | null;
  /** The channels whose value is only in the header, as JSON text. */
  readonly inline: string | null;
}

/** Reads headers in the order of the primary key, each with what it lacks. One statement reads all from one snapshot. */
export function getHeaderPage(
  call: CallContext,
  page: TablePage<CheckpointKey>,
): Promise<CheckedHeaderRow[]> {
  const shape = pageShapeOf(page);
  const { threadId = "", pageSize } = page;
  return runStatement(call, statements.of(shape), {
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

interface PageHeader extends Pick<
  CheckedHeaderRow,
  "thread_id" | "checkpoint_ns" | "checkpoint_id" | "parent_checkpoint_id" | "checkpoint" | "metadata"
> {
  versions: unknown;
  inline_values: unknown;
  parents: unknown;
}

const KEY = sql`(stored.thread_id, stored.checkpoint_ns, stored.checkpoint_id)`;

const statements = new StatementFamily<PageShape, HeaderParams, CheckedHeaderRow>(
  (shape) => (db, parameter) => {
    const threadId = shape.ofThread ? parameter("threadId") : sql.ref<string>("page.thread_id");
    const from = sql`(${parameter("fromThreadId")}, ${parameter("fromCheckpointNs")}, ${parameter("fromCheckpointId")})`;
    return (
      db
        // Materialized, since every access to a long header decompresses it again.
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
                objectAt(sql`stored.metadata -> 'parents'`).as("parents"),
              ]),
        )
        .selectFrom("page")
        // A lateral lookup for each row. With EXISTS the planner may read the whole table for every page.
        .leftJoinLateral(
          (eb) =>
            eb
              .selectFrom("checkpoints as parent")
              .select("parent.checkpoint_id")
              .where("parent.thread_id", "=", threadId)
              .whereRef("parent.checkpoint_ns", "=", "page.checkpoint_ns")
              .whereRef("parent.checkpoint_id", "=", "page.parent_checkpoint_id")
              .limit(sql.lit(1))
              .as("parent"),
          (join) => join.onTrue(),
        )
        .innerJoinLateral(
          (eb) =>
            eb
              .selectFrom(channelNames(eb))
              .leftJoinLateral(
                (inner) =>
                  inner
                    .selectFrom("checkpoint_blobs as blob")
                    .select("blob.type")
                    .where("blob.thread_id", "=", threadId)
                    .whereRef("blob.checkpoint_ns", "=", "page.checkpoint_ns")
                    .whereRef("blob.channel", "=", "channel.name")
                    .where("blob.version", "=", VERSION)
                    .limit(sql.lit(1))
                    .as("stored"),
                (join) => join.onTrue(),
              )
              .select([
                listOf(
                  sql`json_build_array(name, ${VERSION})`,
                  sql`stored.type is null and ${VERSION} is not null and not ${IS_INLINE}`,
                ).as("missing"),
                listOf(sql`to_json(name)`, sql`stored.type = 'empty' and not ${IS_INLINE}`).as("empty"),
                listOf(sql`to_json(name)`, sql`coalesce(stored.type, 'empty') = 'empty' and ${IS_INLINE}`).as(
                  "inline",
                ),
              ])
              .as("referred"),
          (join) => join.onTrue(),
        )
        .innerJoinLateral(
          (eb) =>
            eb
              .selectFrom(parentNamespaces(eb))
              .leftJoinLateral(
                (inner) =>
                  inner
                    .selectFrom("checkpoints as ancestor")
                    .select("ancestor.checkpoint_id")
                    .where("ancestor.thread_id", "=", threadId)
                    .where("ancestor.checkpoint_ns", "=", sql<string>`parents.ns`)
                    .where("ancestor.checkpoint_id", "=", PARENT)
                    .limit(sql.lit(1))
                    .as("stored"),
                (join) => join.onTrue(),
              )
              .select(
                listOf(
                  sql`json_build_array(ns, ${PARENT})`,
                  sql`stored.checkpoint_id is null and ${PARENT} <> ''`,
                ).as("missing_parents"),
              )
              .as("named"),
          (join) => join.onTrue(),
        )
        .select(["page.thread_id", "page.checkpoint_ns", "page.checkpoint_id", "page.parent_checkpoint_id"])
        .select(["page.checkpoint", "page.metadata", "referred.missing", "referred.inline"])
        .select("named.missing_parents")
        .select([
          sql<boolean>`${HAS_PARENT}`.as("has_parent"),
          sql<string | null>`case when not ${HAS_PARENT} then referred.empty end`.as("emptied"),
        ])
        .orderBy("page.thread_id")
        .orderBy("page.checkpoint_ns")
        .orderBy("page.checkpoint_id")
    );
  },
);

const HAS_PARENT = sql`(page.parent_checkpoint_id is null or parent.checkpoint_id is not null)`;

const VERSION = sql<string>`(page.versions ->> name)`;

const PARENT = sql<string>`(page.parents ->> ns)`;

const IS_INLINE = sql`coalesce(jsonb_exists(page.inline_values, name), false)`;

/**
 * The channels that have a version or a value in the header. They are unnested from an array, which the planner estimates as ten
 * rows. It estimates the keys of JSON as a hundred, and would then use JIT for the page.
 */
function channelNames({ ref }: Pick<ExpressionBuilder<{ page: PageHeader }, "page">, "ref">) {
  const both = sql`coalesce(${ref("page.versions")}, '{}') || coalesce(${ref("page.inline_values")}, '{}')`;
  return sql<{ name: string }>`unnest(array(select jsonb_object_keys(${both})))`.as<"channel">(
    sql`channel(name)`,
  );
}

/** The namespaces of which the metadata names a checkpoint as a parent. They are unnested for the same reason. */
function parentNamespaces({ ref }: Pick<ExpressionBuilder<{ page: PageHeader }, "page">, "ref">) {
  const parents = sql`coalesce(${ref("page.parents")}, '{}')`;
  return sql<{ ns: string }>`unnest(array(select jsonb_object_keys(${parents})))`.as<"parents">(
    sql`parents(ns)`,
  );
}

/** The list of the items for which `condition` holds, as JSON text; `null` if there are none. */
function listOf(item: RawBuilder<unknown>, condition: RawBuilder<unknown>): RawBuilder<string | null> {
  return sql<string | null>`(json_agg(${item}) filter (where ${condition}))::text`;
}

/** `null` if a corrupt row has something other than an object. */
function objectAt(json: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`case when jsonb_typeof(${json}) = 'object' then ${json} end`;
}

type CheckpointKeyRow = Pick<CheckedHeaderRow, "thread_id" | "checkpoint_ns" | "checkpoint_id">;

/** Reads the keys of the newest checkpoints by their ids, the newest first. It reads all ids, since no index is in their order. */
export const getNewestKeys = queryOf<{ readonly limit: number }, CheckpointKeyRow>((db, parameter) =>
  db
    .selectFrom("checkpoints")
    .select(["thread_id", "checkpoint_ns", "checkpoint_id"])
    .orderBy(sql`checkpoint_id collate "C"`, "desc")
    .limit(sql<number>`${parameter("limit")}::bigint`),
);
