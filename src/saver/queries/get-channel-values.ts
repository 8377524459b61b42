import { sql } from "kysely";
import { type CallContext, pieceBytesOf } from "../../db/call-context.js";
import { placementOf, type Placement } from "../../db/placement/placement.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { StatementFamily } from "../../db/statements/statement.js";
import { sentBytes } from "./sent-row.js";
import { readItems } from "./thread-groups.js";

/** The channel and the threads that are read. */
export interface ChannelValuesKey {
  readonly threadIds: readonly string[];
  readonly checkpointNs: string;
  readonly channel: string;
}

/** The value of a channel in the newest checkpoint of a thread. */
export interface ChannelValueRow {
  thread_id: string;
  checkpoint_id: string;
  version: string | null;
  /** The inline value as JSON text, or `null`. */
  json: string | null;
  /** The tag of the blob, or `null` where no blob is stored. */
  type: string | null;
  /** The bytes, as `sentBytes` selects them. */
  blob: string | null;
}

/**
 * Reads the value of a channel in the newest checkpoint of each thread, in one statement. A thread without a value
 * has no row.
 */
export async function getChannelValueRows(
  call: CallContext,
  key: ChannelValuesKey,
): Promise<ChannelValueRow[]> {
  const placement = await placementOf(call);
  const statement = newestValues.of(placement);
  return readItems(
    placement,
    key.threadIds,
    (id) => id,
    (threadIds, threadId) =>
      runStatement(call, statement, { ...key, threadIds, threadId, pieceBytes: pieceBytesOf(call) }),
  );
}

interface NewestParams extends ChannelValuesKey {
  /** The only thread, for a statement that names it. */
  readonly threadId: string;
  readonly pieceBytes: number;
}

const newestValues = new StatementFamily<Placement, NewestParams, ChannelValueRow>(
  ({ isOnNodes }) =>
    (db, parameter) => {
      const threadId = isOnNodes ? parameter("threadId") : sql.ref<string>("thread.id");
      const threads = sql<{ id: string }>`unnest(${parameter("threadIds")}::text[])`.as<"thread">(
        sql`thread(id)`,
      );
      const channel = sql<string>`${parameter("channel")}::text`;
      return db
        .selectFrom(threads)
        .innerJoinLateral(
          (eb) =>
            eb
              .selectFrom("checkpoints as newest")
              .select(["newest.checkpoint_id", "newest.checkpoint"])
              .where("newest.thread_id", "=", threadId)
              .where("newest.checkpoint_ns", "=", parameter("checkpointNs"))
              .orderBy(sql`newest.checkpoint_id collate "C"`, "desc")
              .limit(sql.lit(1))
              .as("head"),
          (join) => join.onTrue(),
        )
        .leftJoinLateral(
          (eb) =>
            eb
              .selectFrom("checkpoint_blobs as stored")
              .select(["stored.type", sentBytes("stored", parameter("pieceBytes"), isOnNodes).as("blob")])
              .where("stored.thread_id", "=", threadId)
              .where("stored.checkpoint_ns", "=", parameter("checkpointNs"))
              .where("stored.channel", "=", channel)
              .where(
                "stored.version",
                "=",
                sql<string>`${eb.ref("head.checkpoint")} -> 'channel_versions' ->> ${channel}`,
              )
              .where("stored.type", "<>", sql.lit("empty"))
              .limit(sql.lit(1))
              .as("found"),
          (join) => join.onTrue(),
        )
        .select((eb) => {
          const checkpoint = eb.ref("head.checkpoint");
          const inline = sql`${checkpoint} -> 'channel_values' -> ${channel}`;
          return [
            eb.ref("thread.id").as("thread_id"),
            eb.ref("head.checkpoint_id").as("checkpoint_id"),
            sql<string | null>`${checkpoint} -> 'channel_versions' ->> ${channel}`.as("version"),
            sql<string | null>`(${inline})::text`.as("json"),
            eb.ref("found.type").as("type"),
            eb.ref("found.blob").as("blob"),
          ];
        });
    },
);
