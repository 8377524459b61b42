import { type ExpressionBuilder, type RawBuilder, sql } from "kysely";
import { addedColumns, wholeBytesIn } from "../../db/added-columns.js";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { StatementFamily } from "../../db/statements/statement.js";
import { storedSize } from "../../saver/queries/sent-row.js";
import type { CheckpointPlace } from "../api/places.js";

/** A channel of a checkpoint without its value. */
export interface ViewedChannelRow {
  readonly channel: string;
  /** The version as JSON text; `null` where only the header has a value. */
  readonly version: string | null;
  /** The version in the parent as JSON text; `null` also without a parent. */
  readonly parent_version: string | null;
  /** The type of the stored value; `null` where no row has one. */
  readonly type: string | null;
  readonly is_splice: boolean;
  readonly stored_bytes: number;
  /** The bytes of the whole value, before Postgres compresses it. */
  readonly whole_bytes: number;
  /** The bytes of the value in the header as JSON text; `null` where it has none. */
  readonly inline_bytes: number | null;
}

/** A checkpoint of more channels is not shown whole. */
const MAX_CHANNELS = 5_000;

/** Describes the channels of a checkpoint in the order of their names. It reads no value: Postgres knows the sizes without. */
export async function getChannelRows(call: CallContext, place: CheckpointPlace): Promise<ViewedChannelRow[]> {
  const { splices: hasSplices } = await addedColumns(call);
  return runStatement(call, channels.of(hasSplices), { ...place, limit: MAX_CHANNELS });
}

interface ChannelParams extends CheckpointPlace {
  readonly limit: number;
}

interface HeaderParts {
  readonly versions: object | null;
  readonly inline: object | null;
  readonly parent_versions: object | null;
}

const channels = new StatementFamily<boolean, ChannelParams, ViewedChannelRow>(
  (hasSplices) => (db, parameter) =>
    db
      // Materialized, since every access to a long header decompresses it again.
      .with(
        (cte) => cte("page").materialized(),
        (qb) =>
          qb
            .selectFrom("checkpoints as header")
            .leftJoin("checkpoints as parent", (join) =>
              join
                .on("parent.thread_id", "=", parameter("threadId"))
                .onRef("parent.checkpoint_ns", "=", "header.checkpoint_ns")
                .onRef("parent.checkpoint_id", "=", "header.parent_checkpoint_id"),
            )
            .where("header.thread_id", "=", parameter("threadId"))
            .where("header.checkpoint_ns", "=", parameter("namespace"))
            .where("header.checkpoint_id", "=", parameter("checkpointId"))
            .select([
              objectAt(sql`header.checkpoint -> 'channel_versions'`).as("versions"),
              objectAt(sql`header.checkpoint -> 'channel_values'`).as("inline"),
              objectAt(sql`parent.checkpoint -> 'channel_versions'`).as("parent_versions"),
            ]),
      )
      .selectFrom("page")
      .innerJoinLateral(
        (eb) => channelNames(eb),
        (join) => join.onTrue(),
      )
      .leftJoinLateral(
        (eb) =>
          eb
            .selectFrom("checkpoint_blobs as stored")
            .where("stored.thread_id", "=", parameter("threadId"))
            .where("stored.checkpoint_ns", "=", parameter("namespace"))
            .whereRef("stored.channel", "=", "each.name")
            .where("stored.version", "=", sql<string>`(page.versions ->> ${eb.ref("each.name")})`)
            .select("stored.type")
            .select([
              sql<boolean>`${hasSplices ? sql`stored.base is not null` : sql`false`}`.as("is_splice"),
              sql<number>`coalesce(${storedSize("stored.blob")}, 0)::float8`.as("stored_bytes"),
              sql<number>`coalesce(${wholeBytesIn("stored.", hasSplices)}, 0)::float8`.as("whole_bytes"),
            ])
            .limit(sql.lit(1))
            .as("found"),
        (join) => join.onTrue(),
      )
      .select((eb) => {
        const name = eb.ref("each.name");
        return [
          sql<string>`${name}`.as("channel"),
          sql<string | null>`(page.versions -> ${name})::text`.as("version"),
          sql<string | null>`(page.parent_versions -> ${name})::text`.as("parent_version"),
          eb.ref("found.type").as("type"),
          sql<boolean>`coalesce(${eb.ref("found.is_splice")}, false)`.as("is_splice"),
          sql<number>`coalesce(${eb.ref("found.stored_bytes")}, 0)`.as("stored_bytes"),
          sql<number>`coalesce(${eb.ref("found.whole_bytes")}, 0)`.as("whole_bytes"),
          sql<number | null>`octet_length((page.inline -> ${name})::text)::float8`.as("inline_bytes"),
        ];
      })
      .orderBy(sql`each.name collate "C"`)
      .limit(parameter("limit")),
);

/** Unnested from an array, which the planner estimates as ten rows. It estimates the keys of JSON as a hundred. */
function channelNames({ ref }: Pick<ExpressionBuilder<{ page: HeaderParts }, "page">, "ref">) {
  const both = sql`coalesce(${ref("page.versions")}, '{}') || coalesce(${ref("page.inline")}, '{}')`;
  return sql<{ name: string }>`unnest(array(select jsonb_object_keys(${both})))`.as<"each">(sql`each(name)`);
}

/** `null` if a corrupt row has something other than an object. */
function objectAt(json: RawBuilder<unknown>): RawBuilder<object | null> {
  return sql<object | null>`case when jsonb_typeof(${json}) = 'object' then ${json} end`;
}
