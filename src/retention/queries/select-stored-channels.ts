import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { StatementFamily } from "../../db/statements/statement-family.js";
import type { NamespaceKey } from "../../saver/model/checkpoint-key.js";
import { hasInline } from "../../saver/queries/header-parts.js";
import type { ThreadNaming } from "../../saver/queries/thread-groups.js";
import {
  GIVEN_NS,
  givenCheckpoints,
  givenList,
  type GivenOrdinal,
  type GivenParams,
  givenThread,
  givenWrites,
  runPerNamespace,
  withGiven,
} from "./given-namespaces.js";
import type { ChannelRow } from "./select-written-channels.js";

/** Channels of one namespace. */
export interface ChannelsKey extends NamespaceKey {
  readonly channels: readonly string[];
}

/** Of the given channels, those that have a stored write or value in the namespace. */
export async function selectStoredChannels(
  call: CallContext,
  keys: readonly ChannelsKey[],
): Promise<ChannelRow[][]> {
  const given = keys.map(({ channels, ...key }) => ({ key, lists: { channels } }));
  return runPerNamespace(call, storedChannels, given, {});
}

const NAMED_CHANNEL = /* @__PURE__ */ sql.ref<string>("named.channel");

const storedChannels = /* @__PURE__ */ new StatementFamily<
  ThreadNaming,
  GivenParams,
  ChannelRow & GivenOrdinal
>((naming) => (db, parameter) => {
  const threadId = givenThread(naming, parameter);
  return withGiven(db, parameter, ["channels"])
    .selectFrom("given")
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
    );
});
