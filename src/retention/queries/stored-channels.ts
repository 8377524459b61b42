import { sql } from "kysely";
import type { NamespaceKey } from "../../saver/model/keys.js";
import { hasInline } from "../../saver/queries/header-parts.js";
import { GIVEN_NS, givenCheckpoints, givenList, givenWrites } from "./given-namespaces.js";
import { perNamespace } from "./per-namespace.js";

/** The name of a channel. */
export interface ChannelRow {
  channel: string;
}

/** Channels of one namespace. */
export interface ChannelsKey extends NamespaceKey {
  readonly channels: readonly string[];
}

const NAMED_CHANNEL = /* @__PURE__ */ sql.ref<string>("named.channel");

/** Of the given channels, those that have a stored write or value in the namespace. */
export const selectStoredChannels = /* @__PURE__ */ perNamespace<ChannelsKey, ChannelRow>(
  { channels: ({ channels }) => channels },
  ({ db, given, threadId }) =>
    given
      .innerJoinLateral(
        sql<ChannelRow>`unnest(${givenList("channels")})`.as<"named">(sql`named(channel)`),
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
            givenCheckpoints(db, threadId)
              .select("stored.checkpoint_id")
              .where((stored) => hasInline(stored.ref("stored.checkpoint"), NAMED_CHANNEL))
              .offset(sql.lit(0)),
          ),
        ]),
      ),
);
