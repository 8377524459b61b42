import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import { MIN_SPLICED_BYTES } from "../../splices/splice-type.js";

/** A channel of a namespace, and how many of its values are stored in which form. */
export interface ChannelRow {
  readonly checkpoint_ns: string;
  readonly channel: string;
  readonly splices: number;
  /** The whole values that are long enough for a splice. */
  readonly long_values: number;
}

/** Selects the channels of a thread that have values. It reads no value. */
export function selectChannels(call: CallContext, threadId: string): Promise<ChannelRow[]> {
  return runStatement(call, channels, { threadId });
}

const channels = /* @__PURE__ */ new Statement<{ readonly threadId: string }, ChannelRow>((db, parameter) =>
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
