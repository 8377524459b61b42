import { TASKS } from "@langchain/langgraph-checkpoint";
import { sql, type SqlBool } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import type { NamespaceKey } from "../../saver/model/checkpoint-key.js";
import { eachChannelVersion, eachCountedChannel, hasInline } from "../../saver/queries/header-parts.js";
import type { CheckpointsKey } from "./drop-checkpoints.js";
import {
  byNamespace,
  GIVEN_NS,
  GIVEN_THREAD,
  type GivenParams,
  givenList,
  givenParams,
  type OfNamespace,
  withGiven,
} from "./given-namespaces.js";

/** A channel whose steps LangGraph counts. */
export interface CountedChannelRow {
  channel: string;
  /** The newest checkpoint whose metadata does so. */
  newest_id: string;
}

/** The delta channels of each namespace whose steps LangGraph counts in the metadata. */
export async function selectCountedChannels(
  call: CallContext,
  namespaces: readonly NamespaceKey[],
): Promise<CountedChannelRow[][]> {
  if (namespaces.length === 0) return [];
  const params = givenParams(namespaces.map((key) => ({ key })));
  return byNamespace(namespaces, await runStatement(call, countedChannels, params));
}

const countedChannels = /* @__PURE__ */ new Statement<GivenParams, CountedChannelRow & OfNamespace>(
  (db, parameter) =>
    withGiven(db, parameter)
      .selectFrom("given")
      .innerJoinLateral(
        (eb) =>
          eb
            .selectFrom("checkpoints as stored")
            .innerJoinLateral(
              (inner) => eachCountedChannel(inner.ref("stored.metadata")),
              (join) => join.onTrue(),
            )
            .select(["counted.channel", sql<string>`max(stored.checkpoint_id collate "C")`.as("newest_id")])
            .where("stored.thread_id", "=", GIVEN_THREAD)
            .where("stored.checkpoint_ns", "=", GIVEN_NS)
            .groupBy("counted.channel")
            .as("each"),
        (join) => join.onTrue(),
      )
      .select(["given.n", "each.channel", "each.newest_id"]),
);

/** A version of a channel, of which no value is stored. */
export interface EmptyChannelRow {
  channel: string;
  version: string;
}

/** The versions that some checkpoints of each namespace refer to, and of which there is no value. */
export async function selectEmptyChannels(
  call: CallContext,
  keys: readonly CheckpointsKey[],
): Promise<EmptyChannelRow[][]> {
  if (keys.length === 0) return [];
  const given = keys.map(({ checkpointIds: ids, ...key }) => ({ key, lists: { ids } }));
  return byNamespace(keys, await runStatement(call, emptyChannels, givenParams(given)));
}

const emptyChannels = /* @__PURE__ */ new Statement<GivenParams, EmptyChannelRow & OfNamespace>(
  (db, parameter) =>
    withGiven(db, parameter, ["ids"])
      .selectFrom("given")
      .innerJoinLateral(
        (eb) =>
          eb
            .selectFrom("checkpoints as stored")
            .innerJoinLateral(
              (inner) => eachChannelVersion(sql`${inner.ref("stored.checkpoint")} -> 'channel_versions'`),
              (join) => join.onTrue(),
            )
            .select(["entry.channel", "entry.version"])
            .distinct()
            .where("stored.thread_id", "=", GIVEN_THREAD)
            .where("stored.checkpoint_ns", "=", GIVEN_NS)
            .where(sql<SqlBool>`stored.checkpoint_id = any (${givenList("ids")})`)
            // The sends of old checkpoints are the parent's writes, and are seen to by themselves.
            .where("entry.channel", "<>", sql.lit(TASKS))
            .where(
              (inner) =>
                sql<SqlBool>`not ${hasInline(inner.ref("stored.checkpoint"), inner.ref("entry.channel"))}`,
            )
            .where((inner) =>
              inner.not(
                inner.exists(
                  inner
                    .selectFrom("checkpoint_blobs as blob")
                    .select("blob.type")
                    .where("blob.thread_id", "=", GIVEN_THREAD)
                    .where("blob.checkpoint_ns", "=", GIVEN_NS)
                    .whereRef("blob.channel", "=", "entry.channel")
                    .whereRef("blob.version", "=", "entry.version")
                    .where("blob.type", "<>", sql.lit("empty"))
                    // Has each looked up by the index, whatever the statistics say.
                    .offset(sql.lit(0)),
                ),
              ),
            )
            .as("each"),
        (join) => join.onTrue(),
      )
      .select(["given.n", "each.channel", "each.version"]),
);

/** Versions of channels of a namespace. */
export interface EmptyChannelsKey extends NamespaceKey {
  readonly empty: readonly EmptyChannelRow[];
}

interface ChannelRow {
  channel: string;
}

/** Those of each namespace's channels whose version came with a write of the parent. */
export async function selectWrittenChannels(
  call: CallContext,
  keys: readonly EmptyChannelsKey[],
): Promise<ChannelRow[][]> {
  if (keys.length === 0) return [];
  const given = keys.map(({ empty, ...key }) => ({
    key,
    lists: {
      channels: empty.map(({ channel }) => channel),
      versions: empty.map(({ version }) => version),
    },
  }));
  return byNamespace(keys, await runStatement(call, writtenChannels, givenParams(given)));
}

const writtenChannels = /* @__PURE__ */ new Statement<GivenParams, ChannelRow & OfNamespace>(
  (db, parameter) => {
    const written = db
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
            sql<EmptyChannelRow>`unnest(${givenList("channels")}, ${givenList("versions")})`.as<"empty">(
              sql`empty(channel, version)`,
            ),
            (join) => join.on(sql<SqlBool>`header.channel_versions ->> empty.channel = empty.version`),
          )
          .select(["stored.checkpoint_id", "stored.parent_checkpoint_id", "empty.channel"])
          .where("stored.thread_id", "=", GIVEN_THREAD)
          .where("stored.checkpoint_ns", "=", GIVEN_NS),
      )
      // The first of those that have the version; its parent has another. By EXCEPT, which is never a loop in a loop.
      .with("bumped", (qb) =>
        qb
          .selectFrom("holder")
          .select(["holder.parent_checkpoint_id as checkpoint_id", "holder.channel"])
          .where("holder.parent_checkpoint_id", "is not", null)
          .except(
            qb.selectFrom("holder").select(["holder.checkpoint_id as checkpoint_id", "holder.channel"]),
          ),
      )
      .selectFrom("bumped")
      .select("bumped.channel")
      .distinct()
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom("checkpoint_writes as write")
            .select("write.idx")
            .where("write.thread_id", "=", GIVEN_THREAD)
            .where("write.checkpoint_ns", "=", GIVEN_NS)
            .whereRef("write.checkpoint_id", "=", "bumped.checkpoint_id")
            .whereRef("write.channel", "=", "bumped.channel")
            .offset(sql.lit(0)),
        ),
      );
    return withGiven(db, parameter, ["channels", "versions"])
      .selectFrom("given")
      .innerJoinLateral(written.as("each"), (join) => join.onTrue())
      .select(["given.n", "each.channel"]);
  },
);

/** Channels of a namespace. */
export interface ChannelsKey extends NamespaceKey {
  readonly channels: readonly string[];
}

/** Those of each namespace's channels that anything was ever stored of. */
export async function selectStoredChannels(
  call: CallContext,
  keys: readonly ChannelsKey[],
): Promise<ChannelRow[][]> {
  if (keys.length === 0) return [];
  const given = keys.map(({ channels, ...key }) => ({ key, lists: { channels } }));
  return byNamespace(keys, await runStatement(call, storedChannels, givenParams(given)));
}

const storedChannels = /* @__PURE__ */ new Statement<GivenParams, ChannelRow & OfNamespace>((db, parameter) =>
  withGiven(db, parameter, ["channels"])
    .selectFrom("given")
    .innerJoinLateral(
      sql<ChannelRow>`unnest(${givenList("channels")})`.as<"named">(sql`named(channel)`),
      (join) => join.onTrue(),
    )
    .select(["given.n", "named.channel"])
    .where((eb) =>
      eb.or([
        eb.exists(
          eb
            .selectFrom("checkpoint_writes as write")
            .select("write.idx")
            .where("write.thread_id", "=", GIVEN_THREAD)
            .where("write.checkpoint_ns", "=", GIVEN_NS)
            .whereRef("write.channel", "=", "named.channel")
            .offset(sql.lit(0)),
        ),
        eb.exists(
          eb
            .selectFrom("checkpoint_blobs as blob")
            .select("blob.type")
            .where("blob.thread_id", "=", GIVEN_THREAD)
            .where("blob.checkpoint_ns", "=", GIVEN_NS)
            .whereRef("blob.channel", "=", "named.channel")
            .where("blob.type", "<>", sql.lit("empty"))
            .offset(sql.lit(0)),
        ),
        eb.exists(
          eb
            .selectFrom("checkpoints as stored")
            .select("stored.checkpoint_id")
            .where("stored.thread_id", "=", GIVEN_THREAD)
            .where("stored.checkpoint_ns", "=", GIVEN_NS)
            .where((inner) => hasInline(inner.ref("stored.checkpoint"), inner.ref("named.channel")))
            .offset(sql.lit(0)),
        ),
      ]),
    ),
);
