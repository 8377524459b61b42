import { sql, type SqlBool } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { StatementFamily } from "../../db/statements/statement-family.js";
import type { NamespaceKey } from "../../saver/model/checkpoint-key.js";
import type { ThreadNaming } from "../../saver/queries/thread-groups.js";
import {
  GIVEN_NS,
  givenCheckpoints,
  givenList,
  type GivenOrdinal,
  type GivenParams,
  givenThread,
  runPerNamespace,
  withGiven,
} from "./given-namespaces.js";
import type { EmptyChannelRow } from "./select-empty-channels.js";

/** A namespace, and versions of its channels that have no stored value. */
export interface EmptyChannelsKey extends NamespaceKey {
  readonly empty: readonly EmptyChannelRow[];
}

/** The name of a channel. */
export interface ChannelRow {
  channel: string;
}

/** Of the given channels, those whose version was made by a write of the parent checkpoint. */
export async function selectWrittenChannels(
  call: CallContext,
  keys: readonly EmptyChannelsKey[],
): Promise<ChannelRow[][]> {
  const given = keys.map(({ empty, ...key }) => ({
    key,
    lists: {
      channels: empty.map(({ channel }) => channel),
      versions: empty.map(({ version }) => version),
    },
  }));
  return runPerNamespace(call, writtenChannels, given, {});
}

const writtenChannels = /* @__PURE__ */ new StatementFamily<
  ThreadNaming,
  GivenParams,
  ChannelRow & GivenOrdinal
>((naming) => (db, parameter) => {
  const threadId = givenThread(naming, parameter);
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
        .select(["stored.checkpoint_id", "stored.parent_checkpoint_id", "empty.channel"]),
    )
    // The parents of the first checkpoints with the version: they have another version of the channel themselves.
    // EXCEPT never becomes a nested loop.
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
          .where("write.thread_id", "=", threadId)
          .where("write.checkpoint_ns", "=", GIVEN_NS)
          .whereRef("write.checkpoint_id", "=", "bumped.checkpoint_id")
          .whereRef("write.channel", "=", "bumped.channel")
          .offset(sql.lit(0)),
      ),
    );
  return withGiven(db, parameter, ["channels", "versions"])
    .selectFrom("given")
    .innerJoinLateral(written.as("each"), (join) => join.onTrue())
    .select(["given.ordinal", "each.channel"]);
});
