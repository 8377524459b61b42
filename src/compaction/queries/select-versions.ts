import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import type { NamespaceKey } from "../../saver/model/keys.js";

/** Identifies a channel of a namespace. */
export interface ChannelKey extends NamespaceKey {
  readonly channel: string;
}

/** A stored value of a channel, without its bytes. */
export interface VersionRow {
  readonly version: string;
  /** The version that a splice refers to. */
  readonly base: string | null;
  /** The length of what is stored. */
  readonly bytes: number;
  /** The length of the whole value that a splice stands for. */
  readonly whole_bytes: number | null;
}

/** Selects the values of a channel in any order. It reads no value. */
export function selectVersions(call: CallContext, key: ChannelKey): Promise<VersionRow[]> {
  return runStatement(call, versions, key);
}

const versions = /* @__PURE__ */ new Statement<ChannelKey, VersionRow>((db, parameter) =>
  db
    .selectFrom("checkpoint_blobs as stored")
    .where("stored.thread_id", "=", parameter("threadId"))
    .where("stored.checkpoint_ns", "=", parameter("checkpointNs"))
    .where("stored.channel", "=", parameter("channel"))
    .select(["stored.version", "stored.base", "stored.whole_bytes"])
    .select(sql<number>`coalesce(octet_length(stored.blob), 0)`.as("bytes")),
);
