import { sql, type SqlBool } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import type { NamespaceKey } from "../../saver/model/keys.js";
import { eachCountedChannel } from "../../saver/queries/header-parts.js";
import { givenCheckpoints } from "./given-namespaces.js";
import { isInList } from "./is-in-list.js";
import { perNamespace } from "./per-namespace.js";

/** A delta channel whose super-steps LangGraph counts in the metadata of checkpoints. */
export interface CountedChannelRow {
  channel: string;
  /** The newest checkpoint with a counter of this channel. */
  newest_id: string;
}

/** The delta channels of each namespace whose super-steps LangGraph counts in the metadata. */
export const selectCountedChannels = /* @__PURE__ */ perNamespace<NamespaceKey, CountedChannelRow>(
  {},
  ({ db, given, threadId }) =>
    given
      .innerJoinLateral(
        givenCheckpoints(db, threadId)
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
export interface LastCounterRow {
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

const lastCounters = /* @__PURE__ */ new Statement<LastCounterParams, LastCounterRow>((db, parameter) =>
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
