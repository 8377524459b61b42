import { sql, type SqlBool } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import type { NamespaceKey } from "../../saver/model/keys.js";
import { eachCountedChannel, eachChannelVersion, hasInline } from "../../saver/queries/header-parts.js";
import {
  checkpointsOfGiven,
  isInList,
  perNamespace,
  GIVEN_NS,
  givenList,
  givenWrites,
} from "./per-namespace.js";
import { TASKS } from "@langchain/langgraph-checkpoint";
import type { CheckpointsKey } from "./deleted-checkpoints.js";

/** A delta channel whose super-steps LangGraph counts in the metadata of checkpoints. */
interface CountedChannelRow {
  channel: string;
  /** The newest checkpoint with a counter of this channel. */
  newest_id: string;
}

/** The delta channels of each namespace whose super-steps LangGraph counts in the metadata. */
export const selectCountedChannels = perNamespace<NamespaceKey, CountedChannelRow>(
  {},
  ({ db, given, threadId }) =>
    given
      .innerJoinLateral(
        checkpointsOfGiven(db, threadId)
          .innerJoinLateral(
            (eb) => eachCountedChannel(eb.ref("stored.metadata")),
            (join) => join.onTrue(),
          )
          .select(["counted.channel", sql<string>`max(stored.checkpoint_id collate "C")`.as("newest_id")])
          .groupBy("counted.channel")
          .as("each"),
        (join) => join.onTrue(),
      )
      .select(["given.ordinal", "each.channel", "each.newest_id"]),
);

/** The newest checkpoint whose metadata has a counter of a delta channel. */
interface LastCounterRow {
  readonly channel: string;
  readonly checkpoint_id: string;
}

/**
 * Of some delta channels, those whose counters are all in checkpoints that would be deleted, each with the newest of these.
 * Without any counter, nothing would mark the channel as a delta channel.
 */
export function selectLastCounters(
  call: CallContext,
  { threadId, checkpointNs }: NamespaceKey,
  channels: readonly string[],
  deletableIds: readonly string[],
): Promise<LastCounterRow[]> {
  return runStatement(call, lastCounters, { threadId, checkpointNs, channels, deletableIds });
}

interface LastCounterParams extends NamespaceKey {
  readonly channels: readonly string[];
  readonly deletableIds: readonly string[];
}

const lastCounters = new Statement<LastCounterParams, LastCounterRow>((db, parameter) =>
  db
    .selectFrom("checkpoints as stored")
    .innerJoinLateral(
      (eb) => eachCountedChannel(eb.ref("stored.metadata")),
      (join) => join.onTrue(),
    )
    .select(["counted.channel", sql<string>`max(stored.checkpoint_id collate "C")`.as("checkpoint_id")])
    .where("stored.thread_id", "=", parameter("threadId"))
    .where("stored.checkpoint_ns", "=", parameter("checkpointNs"))
    .where(sql<SqlBool>`counted.channel = any (${parameter("channels")}::text[])`)
    .groupBy("counted.channel")
    .having(
      (eb) => sql<SqlBool>`bool_and(${isInList(eb.ref("stored.checkpoint_id"), parameter("deletableIds"))})`,
    ),
);

/** A version of a channel without a stored value. */
interface EmptyChannelRow {
  channel: string;
  version: string;
}

/** The versions that the given checkpoints reference, and that have no stored value. */
export const selectEmptyChannels = perNamespace<CheckpointsKey, EmptyChannelRow>(
  { ids: ({ checkpointIds }) => checkpointIds },
  ({ db, given, threadId }) =>
    given
      .innerJoinLateral(
        checkpointsOfGiven(db, threadId)
          .innerJoinLateral(
            (eb) => eachChannelVersion(sql`${eb.ref("stored.checkpoint")} -> 'channel_versions'`),
            (join) => join.onTrue(),
          )
          .select(["entry.channel", "entry.version"])
          .distinct()
          .where(sql<SqlBool>`stored.checkpoint_id = any (${givenList("ids")})`)
          // The sends of a checkpoint before version 4 are writes of its parent, which `keptSenders` covers.
          .where("entry.channel", "<>", sql.lit(TASKS))
          .where((eb) => sql<SqlBool>`not ${hasInline(eb.ref("stored.checkpoint"), eb.ref("entry.channel"))}`)
          .where((eb) =>
            eb.not(
              eb.exists(
                eb
                  .selectFrom("checkpoint_blobs as blob")
                  .select("blob.type")
                  .where("blob.thread_id", "=", threadId)
                  .where("blob.checkpoint_ns", "=", GIVEN_NS)
                  .whereRef("blob.channel", "=", "entry.channel")
                  .whereRef("blob.version", "=", "entry.version")
                  .where("blob.type", "<>", sql.lit("empty"))
                  // Makes Postgres use the index for each version, whatever the statistics say.
                  .offset(sql.lit(0)),
              ),
            ),
          )
          .as("each"),
        (join) => join.onTrue(),
      )
      .select(["given.ordinal", "each.channel", "each.version"]),
);

/** A namespace, and versions of its channels that have no stored value. */
interface EmptyChannelsKey extends NamespaceKey {
  readonly empty: readonly EmptyChannelRow[];
}

/**
 * Of the given channels, those whose version was made by a write of the parent checkpoint, and those whose value the header of a checkpoint
 * has (see `getInlineOfAncestors`).
 */
export const selectWrittenChannels = perNamespace<EmptyChannelsKey, ChannelNameRow>(
  {
    channels: ({ empty }) => empty.map(({ channel }) => channel),
    versions: ({ empty }) => empty.map(({ version }) => version),
  },
  ({ db, given, threadId }) => {
    const written = db
      .with("holder", () =>
        checkpointsOfGiven(db, threadId)
          .innerJoinLateral(
            // Extracted once per header: Postgres decompresses a long header again for each access.
            (eb) =>
              sql<{ channel_versions: unknown }>`(
                  select ${eb.ref("stored.checkpoint")} -> 'channel_versions' offset 0
                )`.as<"header">(sql`header(channel_versions)`),
            (join) => join.onTrue(),
          )
          .innerJoin(
            sql<EmptyChannelRow>`unnest(${givenList("channels")}, ${givenList("versions")})`.as<"empty">(
              sql`empty(channel, version)`,
            ),
            (join) => join.on(sql<SqlBool>`header.channel_versions ->> empty.channel = empty.version`),
          )
          .select(["stored.checkpoint_id", "stored.parent_checkpoint_id", "empty.channel"])
          .select((eb) => hasInline(eb.ref("stored.checkpoint"), eb.ref("empty.channel")).as("is_inline")),
      )
      // The parents of the first checkpoints with the version: they have another version of the channel themselves.
      // EXCEPT never becomes a nested loop.
      .with("bumped", (qb) =>
        qb
          .selectFrom("holder")
          .select(["holder.parent_checkpoint_id as checkpoint_id", "holder.channel"])
          .except(
            qb.selectFrom("holder").select(["holder.checkpoint_id as checkpoint_id", "holder.channel"]),
          ),
      )
      .selectFrom("bumped")
      .select("bumped.channel")
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom("checkpoint_writes as write")
            .select("write.idx")
            .where("write.thread_id", "=", threadId)
            .where("write.checkpoint_ns", "=", GIVEN_NS)
            .whereRef("write.checkpoint_id", "=", "bumped.checkpoint_id")
            .whereRef("write.channel", "=", "bumped.channel")
            .offset(sql.lit(0)),
        ),
      )
      .union((qb) =>
        qb.selectFrom("holder").select("holder.channel").where("holder.is_inline", "=", sql.lit(true)),
      );
    return given
      .innerJoinLateral(written.as("each"), (join) => join.onTrue())
      .select(["given.ordinal", "each.channel"]);
  },
);

/** The name of a channel. */
interface ChannelNameRow {
  channel: string;
}

/** Channels of one namespace. */
export interface ChannelsKey extends NamespaceKey {
  readonly channels: readonly string[];
}

const NAMED_CHANNEL = sql.ref<string>("named.channel");

/** Of the given channels, those that have a stored write or value in the namespace. */
export const selectStoredChannels = perNamespace<ChannelsKey, ChannelNameRow>(
  { channels: ({ channels }) => channels },
  ({ db, given, threadId }) =>
    given
      .innerJoinLateral(
        sql<ChannelNameRow>`unnest(${givenList("channels")})`.as<"named">(sql`named(channel)`),
        (join) => join.onTrue(),
      )
      .select(["given.ordinal", "named.channel"])
      .where((eb) =>
        eb.or([
          eb.exists(
            givenWrites(db, threadId)
              .select("write.idx")
              .where("write.channel", "=", NAMED_CHANNEL)
              .offset(sql.lit(0)),
          ),
          eb.exists(
            eb
              .selectFrom("checkpoint_blobs as blob")
              .select("blob.type")
              .where("blob.thread_id", "=", threadId)
              .where("blob.checkpoint_ns", "=", GIVEN_NS)
              .where("blob.channel", "=", NAMED_CHANNEL)
              .where("blob.type", "<>", sql.lit("empty"))
              .offset(sql.lit(0)),
          ),
          eb.exists(
            checkpointsOfGiven(db, threadId)
              .select("stored.checkpoint_id")
              .where((stored) => hasInline(stored.ref("stored.checkpoint"), NAMED_CHANNEL))
              .offset(sql.lit(0)),
          ),
        ]),
      ),
);
