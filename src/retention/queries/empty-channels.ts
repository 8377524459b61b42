import { TASKS } from "@langchain/langgraph-checkpoint";
import { sql, type SqlBool } from "kysely";
import type { NamespaceKey } from "../../saver/model/keys.js";
import { eachChannelVersion, hasInline } from "../../saver/queries/header-parts.js";
import type { CheckpointsKey } from "./deleted-checkpoints.js";
import { GIVEN_NS, givenCheckpoints, givenList } from "./given-namespaces.js";
import { perNamespace } from "./per-namespace.js";
import type { ChannelRow } from "./stored-channels.js";

/** A version of a channel without a stored value. */
export interface EmptyChannelRow {
  channel: string;
  version: string;
}

/** The versions that the given checkpoints reference, and that have no stored value. */
export const selectEmptyChannels = /* @__PURE__ */ perNamespace<CheckpointsKey, EmptyChannelRow>(
  { ids: ({ checkpointIds }) => checkpointIds },
  ({ db, given, threadId }) =>
    given
      .innerJoinLateral(
        givenCheckpoints(db, threadId)
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
export interface EmptyChannelsKey extends NamespaceKey {
  readonly empty: readonly EmptyChannelRow[];
}

/**
 * Of the given channels, those whose version was made by a write of the parent checkpoint, and those whose value the header of a checkpoint
 * has (see `getInlineOfAncestors`).
 */
export const selectWrittenChannels = /* @__PURE__ */ perNamespace<EmptyChannelsKey, ChannelRow>(
  {
    channels: ({ empty }) => empty.map(({ channel }) => channel),
    versions: ({ empty }) => empty.map(({ version }) => version),
  },
  ({ db, given, threadId }) => {
    const written = db
      .with("holder", () =>
        givenCheckpoints(db, threadId)
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
