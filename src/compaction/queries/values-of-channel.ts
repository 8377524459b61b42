import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import type { NamespaceKey } from "../../saver/model/keys.js";
import { MIN_SPLICED_BYTES } from "../../splices/splice-type.js";

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

const versions = new Statement<ChannelKey, VersionRow>((db, parameter) =>
  db
    .selectFrom("checkpoint_blobs as stored")
    .where("stored.thread_id", "=", parameter("threadId"))
    .where("stored.checkpoint_ns", "=", parameter("checkpointNs"))
    .where("stored.channel", "=", parameter("channel"))
    .select(["stored.version", "stored.base", "stored.whole_bytes"])
    .select(sql<number>`coalesce(octet_length(stored.blob), 0)`.as("bytes")),
);

/** A value in another form. */
export interface Replacement {
  readonly version: string;
  readonly type: string;
  readonly blob: Uint8Array;
  /** The version that a splice refers to. */
  readonly base: string | null;
  /** The length of the whole value that a splice stands for. */
  readonly wholeBytes: number | null;
}

/** Replaces what is stored of a value. An earlier statement of the transaction has to lock it. */
export const replaceValue = new Statement<ChannelKey & Replacement, unknown>((db, parameter) =>
  db
    .updateTable("checkpoint_blobs")
    .set({
      type: parameter("type"),
      blob: parameter("blob"),
      base: parameter("base"),
      whole_bytes: parameter("wholeBytes"),
    })
    .where("thread_id", "=", parameter("threadId"))
    .where("checkpoint_ns", "=", parameter("checkpointNs"))
    .where("channel", "=", parameter("channel"))
    .where("version", "=", parameter("version")),
);

/** A channel of a namespace, and how many of its values are stored in which form. */
export interface ChannelFormsRow {
  readonly checkpoint_ns: string;
  readonly channel: string;
  readonly splices: number;
  /** The whole values that are long enough for a splice. */
  readonly long_values: number;
}

/** Selects the channels of a thread that have values. It reads no value. */
export function selectChannels(call: CallContext, threadId: string): Promise<ChannelFormsRow[]> {
  return runStatement(call, channels, { threadId });
}

const channels = new Statement<{ readonly threadId: string }, ChannelFormsRow>((db, parameter) =>
  db
    .selectFrom("checkpoint_blobs as stored")
    .where("stored.thread_id", "=", parameter("threadId"))
    .groupBy(["stored.checkpoint_ns", "stored.channel"])
    .select(["stored.checkpoint_ns", "stored.channel"])
    .select([
      sql<number>`count(*) filter (where stored.base is not null)::integer`.as("splices"),
      sql<number>`count(*) filter (
        where stored.base is null and octet_length(stored.blob) >= ${sql.lit(MIN_SPLICED_BYTES)}
      )::integer`.as("long_values"),
    ])
    .orderBy("stored.checkpoint_ns")
    .orderBy("stored.channel"),
);

/** Selects the type tags of the values of a thread, each once. */
export async function selectTypes(call: CallContext, threadId: string): Promise<string[]> {
  const rows = await runStatement(call, types, { threadId });
  return rows.map(({ type }) => type);
}

const types = new Statement<{ readonly threadId: string }, { type: string }>((db, parameter) =>
  db
    .selectFrom("checkpoint_blobs")
    .where("thread_id", "=", parameter("threadId"))
    .select("type")
    .distinct()
    .orderBy("type"),
);
