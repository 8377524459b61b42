import { sql } from "kysely";
import { addedColumns, wholeBytesIn } from "../../db/added-columns.js";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { StatementFamily } from "../../db/statements/statement.js";
import { storedSize } from "../../saver/queries/sent-row.js";

/** The stored values of a channel in a namespace. */
export interface ChannelSizeRow {
  readonly checkpoint_ns: string;
  readonly channel: string;
  readonly versions: number;
  readonly splices: number;
  readonly stored_bytes: number;
  readonly whole_bytes: number;
}

interface ChannelParams {
  readonly threadId: string;
  readonly limit: number;
}

/** Measures the values of the channels of a thread, the largest first. It reads no value. */
export async function channelSizes(call: CallContext, params: ChannelParams): Promise<ChannelSizeRow[]> {
  const { splices: hasSplices } = await addedColumns(call);
  return runStatement(call, sizes.of(hasSplices), params);
}

const sizes = /* @__PURE__ */ new StatementFamily<boolean, ChannelParams, ChannelSizeRow>(
  (hasSplices) => (db, parameter) =>
    db
      .selectFrom("checkpoint_blobs")
      .where("thread_id", "=", parameter("threadId"))
      .groupBy(["checkpoint_ns", "channel"])
      .select(["checkpoint_ns", "channel"])
      .select([
        sql<number>`count(*)::float8`.as("versions"),
        (hasSplices ? sql<number>`count(base)::float8` : sql<number>`0::float8`).as("splices"),
        sql<number>`coalesce(sum(${storedSize("blob")}), 0)::float8`.as("stored_bytes"),
        sql<number>`coalesce(sum(${wholeBytesIn("", hasSplices)}), 0)::float8`.as("whole_bytes"),
      ])
      .orderBy("stored_bytes", "desc")
      .orderBy("checkpoint_ns")
      .orderBy("channel")
      .limit(parameter("limit")),
);
