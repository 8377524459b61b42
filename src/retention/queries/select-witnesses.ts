import { sql, type SqlBool } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import type { NamespaceKey } from "../../saver/model/checkpoint-key.js";
import { eachCountedChannel } from "../../saver/queries/header-parts.js";
import { isAmong } from "./is-among.js";

/** The newest checkpoint whose metadata says that a channel is a delta channel. */
export interface WitnessRow {
  readonly channel: string;
  readonly checkpoint_id: string;
}

/** Of delta channels, those that no checkpoint tells to be ones but such as go. */
export function selectWitnesses(
  call: CallContext,
  { threadId, checkpointNs }: NamespaceKey,
  channels: readonly string[],
  going: readonly string[],
): Promise<WitnessRow[]> {
  return runStatement(call, witnesses, { threadId, checkpointNs, channels, going });
}

interface WitnessParams extends NamespaceKey {
  readonly channels: readonly string[];
  readonly going: readonly string[];
}

const witnesses = /* @__PURE__ */ new Statement<WitnessParams, WitnessRow>((db, parameter) =>
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
    .having((eb) => sql<SqlBool>`bool_and(${isAmong(eb.ref("stored.checkpoint_id"), parameter("going"))})`),
);
