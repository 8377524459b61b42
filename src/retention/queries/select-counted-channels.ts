import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { StatementFamily } from "../../db/statements/statement-family.js";
import type { NamespaceKey } from "../../saver/model/checkpoint-key.js";
import { eachCountedChannel } from "../../saver/queries/header-parts.js";
import type { ThreadNaming } from "../../saver/queries/thread-groups.js";
import {
  givenCheckpoints,
  type GivenOrdinal,
  type GivenParams,
  givenThread,
  runPerNamespace,
  withGiven,
} from "./given-namespaces.js";

/** A delta channel whose super-steps LangGraph counts in the metadata of checkpoints. */
export interface CountedChannelRow {
  channel: string;
  /** The newest checkpoint with a counter of this channel. */
  newest_id: string;
}

/** The delta channels of each namespace whose super-steps LangGraph counts in the metadata. */
export async function selectCountedChannels(
  call: CallContext,
  namespaces: readonly NamespaceKey[],
): Promise<CountedChannelRow[][]> {
  return runPerNamespace(
    call,
    countedChannels,
    namespaces.map((key) => ({ key })),
    {},
  );
}

const countedChannels = /* @__PURE__ */ new StatementFamily<
  ThreadNaming,
  GivenParams,
  CountedChannelRow & GivenOrdinal
>(
  (naming) => (db, parameter) =>
    withGiven(db, parameter)
      .selectFrom("given")
      .innerJoinLateral(
        givenCheckpoints(db, givenThread(naming, parameter))
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
