import { TASKS } from "@langchain/langgraph-checkpoint";
import { sql, type SqlBool } from "kysely";
import type { CheckpointTables } from "../../../db/checkpoint-tables.js";
import { runStatement } from "../../../db/run-statement.js";
import { Statement } from "../../../db/statement.js";
import type { NamespaceKey } from "../../checkpoint-key.js";
import { eachChannelVersion, eachCountedChannel, hasInline } from "../header-parts.js";

/** A version of a channel, of which no value is stored. */
interface EmptyChannelRow {
  channel: string;
  version: string;
}

interface ChannelRow {
  channel: string;
}

/**
 * The delta channels of a namespace that checkpoints could need older ones for. LangGraph counts the steps of each since it
 * was stored whole, in the metadata of every step, but not where the state is updated by hand. So these count too: channels
 * without a stored value whose version came with a write of the parent. Any other channel would have got a value by it.
 *
 * Of these, only those that anything was ever stored of.
 *
 * @param frontier - The checkpoints.
 */
export async function selectDeltaChannels(
  tables: CheckpointTables,
  { threadId, checkpointNs }: NamespaceKey,
  frontier: readonly string[],
): Promise<string[]> {
  const key = { threadId, checkpointNs };
  const counted = await runStatement(tables, countedChannels, key);
  const known = new Set(counted.map(({ channel }) => channel));
  const empty = await runStatement(tables, emptyChannels, { ...key, frontier });
  const doubtful = empty.filter(({ channel }) => !known.has(channel));
  const written =
    doubtful.length === 0 ? [] : await runStatement(tables, writtenChannels, paramsOf(key, doubtful));
  for (const { channel } of written) known.add(channel);
  if (known.size === 0) return [];
  const stored = await runStatement(tables, storedChannels, { ...key, channels: [...known] });
  return stored.map(({ channel }) => channel);
}

function paramsOf(key: NamespaceKey, rows: readonly EmptyChannelRow[]): EmptyParams {
  return {
    ...key,
    channels: rows.map(({ channel }) => channel),
    versions: rows.map(({ version }) => version),
  };
}

const countedChannels = /* @__PURE__ */ new Statement<NamespaceKey, ChannelRow>((db, parameter) =>
  db
    .selectFrom("checkpoints as stored")
    .innerJoinLateral(
      (eb) => eachCountedChannel(eb.ref("stored.metadata")),
      (join) => join.onTrue(),
    )
    .select("counted.channel")
    .distinct()
    .where("stored.thread_id", "=", parameter("threadId"))
    .where("stored.checkpoint_ns", "=", parameter("checkpointNs")),
);

interface FrontierParams extends NamespaceKey {
  readonly frontier: readonly string[];
}

const emptyChannels = /* @__PURE__ */ new Statement<FrontierParams, EmptyChannelRow>((db, parameter) =>
  db
    .selectFrom("checkpoints as stored")
    .innerJoinLateral(
      (eb) => eachChannelVersion(sql`${eb.ref("stored.checkpoint")} -> 'channel_versions'`),
      (join) => join.onTrue(),
    )
    .select(["entry.channel", "entry.version"])
    .distinct()
    .where("stored.thread_id", "=", parameter("threadId"))
    .where("stored.checkpoint_ns", "=", parameter("checkpointNs"))
    .where(sql<SqlBool>`stored.checkpoint_id = any (${parameter("frontier")}::text[])`)
    // The sends of old checkpoints are the parent's writes, and are seen to by themselves.
    .where("entry.channel", "<>", sql.lit(TASKS))
    .where((eb) => sql<SqlBool>`not ${hasInline(eb.ref("stored.checkpoint"), eb.ref("entry.channel"))}`)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("checkpoint_blobs as blob")
            .select("blob.type")
            .where("blob.thread_id", "=", parameter("threadId"))
            .where("blob.checkpoint_ns", "=", parameter("checkpointNs"))
            .whereRef("blob.channel", "=", "entry.channel")
            .whereRef("blob.version", "=", "entry.version")
            .where("blob.type", "<>", sql.lit("empty"))
            // Has each looked up by the index, whatever the statistics say.
            .offset(sql.lit(0)),
        ),
      ),
    ),
);

interface EmptyParams extends NamespaceKey {
  readonly channels: readonly string[];
  readonly versions: readonly string[];
}

const writtenChannels = /* @__PURE__ */ new Statement<EmptyParams, ChannelRow>((db, parameter) =>
  db
    .with("holder", (qb) =>
      qb
        .selectFrom("checkpoints as stored")
        .innerJoinLateral(
          // Taken out of the header once: a long one is compressed, and each look unpacks it anew.
          (eb) =>
            sql<{ channel_versions: unknown }>`(
              select ${eb.ref("stored.checkpoint")} -> 'channel_versions' offset 0
            )`.as<"header">(sql`header(channel_versions)`),
          (join) => join.onTrue(),
        )
        .innerJoin(
          sql<EmptyChannelRow>`unnest(
            ${parameter("channels")}::text[], ${parameter("versions")}::text[]
          )`.as<"empty">(sql`empty(channel, version)`),
          (join) => join.on(sql<SqlBool>`header.channel_versions ->> empty.channel = empty.version`),
        )
        .select(["stored.checkpoint_id", "stored.parent_checkpoint_id", "empty.channel"])
        .where("stored.thread_id", "=", parameter("threadId"))
        .where("stored.checkpoint_ns", "=", parameter("checkpointNs")),
    )
    // The first of those that have the version; its parent has another. By EXCEPT, which is never a loop in a loop.
    .with("bumped", (qb) =>
      qb
        .selectFrom("holder")
        .select(["holder.parent_checkpoint_id as checkpoint_id", "holder.channel"])
        .where("holder.parent_checkpoint_id", "is not", null)
        .except(qb.selectFrom("holder").select(["holder.checkpoint_id as checkpoint_id", "holder.channel"])),
    )
    .selectFrom("bumped")
    .select("bumped.channel")
    .distinct()
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom("checkpoint_writes as write")
          .select("write.idx")
          .where("write.thread_id", "=", parameter("threadId"))
          .where("write.checkpoint_ns", "=", parameter("checkpointNs"))
          .whereRef("write.checkpoint_id", "=", "bumped.checkpoint_id")
          .whereRef("write.channel", "=", "bumped.channel")
          .offset(sql.lit(0)),
      ),
    )
    .$narrowType<ChannelRow>(),
);

interface ChannelsParams extends NamespaceKey {
  readonly channels: readonly string[];
}

/** The graph has delta channels that nothing was ever written to: to look for their values would lead to the first checkpoint. */
const storedChannels = /* @__PURE__ */ new Statement<ChannelsParams, ChannelRow>((db, parameter) =>
  db
    .selectFrom(sql<ChannelRow>`unnest(${parameter("channels")}::text[])`.as<"named">(sql`named(channel)`))
    .select("named.channel")
    .where((eb) =>
      eb.or([
        eb.exists(
          eb
            .selectFrom("checkpoint_writes as write")
            .select("write.idx")
            .where("write.thread_id", "=", parameter("threadId"))
            .where("write.checkpoint_ns", "=", parameter("checkpointNs"))
            .whereRef("write.channel", "=", "named.channel"),
        ),
        eb.exists(
          eb
            .selectFrom("checkpoint_blobs as blob")
            .select("blob.type")
            .where("blob.thread_id", "=", parameter("threadId"))
            .where("blob.checkpoint_ns", "=", parameter("checkpointNs"))
            .whereRef("blob.channel", "=", "named.channel")
            .where("blob.type", "<>", sql.lit("empty")),
        ),
        eb.exists(
          eb
            .selectFrom("checkpoints as stored")
            .select("stored.checkpoint_id")
            .where("stored.thread_id", "=", parameter("threadId"))
            .where("stored.checkpoint_ns", "=", parameter("checkpointNs"))
            .where((inner) => hasInline(inner.ref("stored.checkpoint"), inner.ref("named.channel"))),
        ),
      ]),
    ),
);
