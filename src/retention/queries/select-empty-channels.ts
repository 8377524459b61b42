import { TASKS } from "@langchain/langgraph-checkpoint";
import { sql, type SqlBool } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { StatementFamily } from "../../db/statements/statement-family.js";
import { eachChannelVersion, hasInline } from "../../saver/queries/header-parts.js";
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
import type { CheckpointsKey } from "./lock-checkpoints.js";

/** A version of a channel without a stored value. */
export interface EmptyChannelRow {
  channel: string;
  version: string;
}

/** The versions that the given checkpoints reference, and that have no stored value. */
export async function selectEmptyChannels(
  call: CallContext,
  keys: readonly CheckpointsKey[],
): Promise<EmptyChannelRow[][]> {
  const given = keys.map(({ checkpointIds: ids, ...key }) => ({ key, lists: { ids } }));
  return runPerNamespace(call, emptyChannels, given, {});
}

const emptyChannels = /* @__PURE__ */ new StatementFamily<
  ThreadNaming,
  GivenParams,
  EmptyChannelRow & GivenOrdinal
>((naming) => (db, parameter) => {
  const threadId = givenThread(naming, parameter);
  return withGiven(db, parameter, ["ids"])
    .selectFrom("given")
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
    .select(["given.ordinal", "each.channel", "each.version"]);
});
