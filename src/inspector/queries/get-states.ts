import { z } from "zod";
import { TASKS } from "@langchain/langgraph-checkpoint";
import { type Expression, type RawBuilder, sql, type SqlBool } from "kysely";
import { addedColumns, taskPathIn, wholeBytesIn } from "../../db/added-columns.js";
import type { CallContext } from "../../db/call-context.js";
import { StatementFamily } from "../../db/statements/statement.js";
import { givenThread } from "../../retention/queries/per-namespace.js";
import { eachChannelVersion } from "../../saver/queries/header-parts.js";
import type { ThreadNaming } from "../../saver/queries/thread-groups.js";
import type { CheckpointPlace } from "../api/places.js";
import {
  givenPlaces,
  type PlacesParams,
  type PositionRow,
  readGiven,
  runGiven,
} from "./given-checkpoints.js";

/** The parts of a checkpoint that say what runs next. The columns with `json` hold JSON text. */
export interface StateRow extends PositionRow {
  readonly step: string | null;
  readonly versions_json: string | null;
  readonly seen_json: string | null;
  /** The names of the channels whose values are in the header. */
  readonly inline_json: string | null;
  /** The stored values of channels that may start nodes: `[channel, type, bytes]`. */
  readonly values_json: string | null;
  /** `[task, path, channel]` of each pending write. */
  readonly writes_json: string | null;
  /** Whether the sends of the checkpoint, which has an old format, are among the writes of its parent. */
  readonly has_older_sends: boolean;
}

/**
 * Reads these parts of checkpoints in one statement, without their values. Where statements name their
 * thread, it sends one for each (N1). A checkpoint that does not exist has no row.
 */
export async function getStates(
  call: CallContext,
  places: readonly CheckpointPlace[],
): Promise<Map<CheckpointPlace, StateRow>> {
  const { taskPath: hasTaskPath } = await addedColumns(call);
  const rows = await readGiven(call, places, (naming, params) =>
    runGiven(call, naming, states.of({ naming, hasTaskPath }), params),
  );
  return new Map(rows);
}

const states = new StatementFamily<
  { readonly naming: ThreadNaming; readonly hasTaskPath: boolean },
  PlacesParams,
  StateRow
>(({ naming, hasTaskPath }) => (db, parameter) => {
  const taskPath = taskPathIn("write.", hasTaskPath);
  const threadId = givenThread(naming, parameter);
  return db
    .selectFrom(givenPlaces(parameter))
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom("checkpoints as stored")
          .where("stored.thread_id", "=", threadId)
          .whereRef("stored.checkpoint_ns", "=", "given.checkpoint_ns")
          .whereRef("stored.checkpoint_id", "=", "given.checkpoint_id")
          .select("stored.parent_checkpoint_id")
          .select((row) => {
            const checkpoint = row.ref("stored.checkpoint");
            return [
              sql<string | null>`${row.ref("stored.metadata")} ->> 'step'`.as("step"),
              sql<object | null>`${checkpoint} -> 'channel_versions'`.as("versions"),
              sql<object | null>`${checkpoint} -> 'versions_seen'`.as("seen"),
              sql<object | null>`${checkpoint} -> 'channel_values'`.as("inline"),
              sql<boolean>`coalesce(${checkpoint} -> 'v' < '4'::jsonb, false)`.as("is_before_version_4"),
            ];
          })
          // Each part is extracted once, because each access decompresses a long header again.
          .limit(sql.lit(1))
          .as("head"),
      (join) => join.onTrue(),
    )
    .select(sql<number>`given.position::float8`.as("position"))
    .select((eb) => {
      const own = (row: { readonly thread: Expression<string>; readonly namespace: Expression<string> }) =>
        [
          sql<SqlBool>`${row.thread} = ${threadId}`,
          sql<SqlBool>`${row.namespace} = ${eb.ref("given.checkpoint_ns")}`,
        ] as const;
      const values = eb
        .selectFrom(eachChannelVersion(eb.ref("head.versions")))
        .innerJoin("checkpoint_blobs as blob", (join) =>
          join.onRef("blob.channel", "=", "entry.channel").onRef("blob.version", "=", "entry.version"),
        )
        .where((row) =>
          row.and([
            ...own({ thread: row.ref("blob.thread_id"), namespace: row.ref("blob.checkpoint_ns") }),
            mayStartNodes(row.ref("entry.channel"), eb.ref("head.seen")),
          ]),
        )
        .where("blob.type", "<>", sql.lit("empty"))
        .select(
          sql<string>`json_agg(json_build_array(blob.channel, blob.type, octet_length(blob.blob)))::text`.as(
            "list",
          ),
        );
      const writes = eb
        .selectFrom("checkpoint_writes as write")
        .where((row) =>
          row.and([
            ...own({ thread: row.ref("write.thread_id"), namespace: row.ref("write.checkpoint_ns") }),
            row("write.checkpoint_id", "=", eb.ref("given.checkpoint_id")),
          ]),
        )
        .select(
          sql<string>`json_agg(json_build_array(write.task_id, ${taskPath}, write.channel))::text`.as("list"),
        );
      const sends = eb
        .selectFrom("checkpoint_writes as send")
        .where((row) =>
          row.and([
            ...own({ thread: row.ref("send.thread_id"), namespace: row.ref("send.checkpoint_ns") }),
            row("send.checkpoint_id", "=", eb.ref("head.parent_checkpoint_id")),
            row("send.channel", "=", sql.lit(TASKS)),
          ]),
        )
        .select("send.idx");
      return [
        eb.ref("head.step").as("step"),
        sql<string | null>`${eb.ref("head.versions")}::text`.as("versions_json"),
        sql<string | null>`${eb.ref("head.seen")}::text`.as("seen_json"),
        keysOf(eb.ref("head.inline")).as("inline_json"),
        values.as("values_json"),
        writes.as("writes_json"),
        sql<boolean>`${eb.ref("head.is_before_version_4")} and exists (${sends})`.as("has_older_sends"),
      ];
    });
});

/** Whether a channel is one that starts nodes by its name, or that a node has seen when it ran. */
function mayStartNodes(channel: Expression<string>, seen: Expression<object | null>): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${channel} ~ '^(__|branch:|join:)' or exists (
    select from jsonb_each(case when jsonb_typeof(${seen}) = 'object' then ${seen} end) as node(name, triggers)
    where node.name !~ '^__(input|interrupt|snapshot_bumps)__$' and jsonb_exists(node.triggers, ${channel})))`;
}

function keysOf(object: Expression<object | null>): RawBuilder<string | null> {
  return sql<string | null>`(select json_agg(name)::text from jsonb_object_keys(
    case when jsonb_typeof(${object}) = 'object' then ${object} end) as inline(name))`;
}

/** The sizes of the values of a checkpoint. */
export interface StateSizesRow extends PositionRow {
  readonly checkpoint_id: string;
  /** `[channel, bytes, version]` as JSON text. A value in the header, or none, has no bytes. */
  readonly sizes_json: string;
}

const channelSizes = z.array(z.tuple([z.string(), z.number(), z.string().nullable()]));

/** The channels of a checkpoint with the bytes of their values, and their versions. */
export function parsedSizes(
  row: StateSizesRow,
): readonly (readonly [channel: string, bytes: number, version: string | null])[] {
  return channelSizes.parse(JSON.parse(row.sizes_json));
}

/** Stands for the newest checkpoint of a namespace. */
export const NEWEST = "";

/**
 * Measures the values of checkpoints without reading them, in one statement. Where statements name their thread, it sends one for each
 * (N1). A checkpoint that does not exist has no row.
 *
 * @param places - The id {@link NEWEST} is for the newest checkpoint of a namespace.
 */
export async function getStateSizes(
  call: CallContext,
  places: readonly CheckpointPlace[],
): Promise<Map<CheckpointPlace, StateSizesRow>> {
  const { splices: hasSplices } = await addedColumns(call);
  const rows = await readGiven(call, places, (naming, params) =>
    runGiven(call, naming, sizes.of({ naming, hasSplices }), params),
  );
  return new Map(rows);
}

const sizes = new StatementFamily<
  { readonly naming: ThreadNaming; readonly hasSplices: boolean },
  PlacesParams,
  StateSizesRow
>(({ naming, hasSplices }) => (db, parameter) => {
  const threadId = givenThread(naming, parameter);
  return db
    .selectFrom(givenPlaces(parameter))
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom("checkpoints as header")
          .where("header.thread_id", "=", threadId)
          .whereRef("header.checkpoint_ns", "=", "given.checkpoint_ns")
          .where(sql<SqlBool>`given.checkpoint_id in (header.checkpoint_id, ${sql.lit(NEWEST)})`)
          .select("header.checkpoint_id")
          .select(sql<object | null>`header.checkpoint -> 'channel_versions'`.as("versions"))
          .orderBy(sql`header.checkpoint_id collate "C"`, "desc")
          .limit(sql.lit(1))
          .as("head"),
      (join) => join.onTrue(),
    )
    .select(sql<number>`given.position::float8`.as("position"))
    .select("head.checkpoint_id")
    .select((eb) => {
      const channels = eb
        .selectFrom(eachChannelVersion(eb.ref("head.versions")))
        .leftJoin("checkpoint_blobs as stored", (join) =>
          join
            .on("stored.thread_id", "=", threadId)
            .onRef("stored.checkpoint_ns", "=", "given.checkpoint_ns")
            .onRef("stored.channel", "=", "entry.channel")
            .onRef("stored.version", "=", "entry.version"),
        )
        .select(
          sql<string>`json_agg(json_build_array(entry.channel, coalesce(${wholeBytesIn("stored.", hasSplices)}, 0), entry.version))`.as(
            "list",
          ),
        );
      return sql<string>`coalesce(${channels}, '[]')::text`.as("sizes_json");
    });
});
