import { type Expression, type RawBuilder, sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { placementOf } from "../../db/placement/placement.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { StatementFamily } from "../../db/statements/statement.js";
import type { CheckpointKey, NamespaceKey } from "../../saver/model/keys.js";
import { newestCheckpointId } from "../../saver/queries/table-page.js";
import { eachChannelVersion } from "../../saver/queries/header-parts.js";

/** A checkpoint that is forked, without its values. */
interface ForkTargetRow {
  checkpoint_id: string;
  /** The header as JSON text. */
  checkpoint: string;
  /** The metadata as JSON text. */
  metadata: string;
  /** The metadata that the fork copies. It stays JSON text, since JavaScript can't represent every number. */
  carried_metadata: string;
  /** The head of the namespace. */
  head_checkpoint_id: string;
  /** The channels whose values are in blobs, as JSON text. */
  stored: string;
  /** The channels that the checkpoint's tasks have written to, as JSON text. */
  written: string;
}

/** Reads a checkpoint without its values; the newest of the namespace when the key has no id. */
export async function getForkTarget(
  call: CallContext,
  { threadId, checkpointNs, checkpointId }: NamespaceKey & Partial<CheckpointKey>,
): Promise<ForkTargetRow | undefined> {
  const { isOnNodes } = await placementOf(call);
  const shape = { isNamed: checkpointId !== undefined, isOnNodes };
  const params = { threadId, checkpointNs, checkpointId: checkpointId ?? "" };
  const [row] = await runStatement(call, statements.of(shape), params);
  return row;
}

interface ForkShape {
  /** Whether the key names the checkpoint. */
  readonly isNamed: boolean;
  /** Whether it compares the thread of each table with its parameter. */
  readonly isOnNodes: boolean;
}

const statements = new StatementFamily<ForkShape, CheckpointKey, ForkTargetRow>(
  (shape) => (db, parameter) =>
    db
      .with("head", (qb) => newestCheckpointId(qb, parameter))
      .selectFrom("head")
      .innerJoin("checkpoints as target", (join) =>
        shape.isNamed
          ? join.on("target.checkpoint_id", "=", parameter("checkpointId"))
          : join.onRef("target.checkpoint_id", "=", "head.checkpoint_id"),
      )
      .where("target.thread_id", "=", parameter("threadId"))
      .where("target.checkpoint_ns", "=", parameter("checkpointNs"))
      .select(["target.checkpoint_id", "head.checkpoint_id as head_checkpoint_id"])
      .select((eb) => {
        const threadId = shape.isOnNodes ? parameter("threadId") : eb.ref("target.thread_id");
        const stored = eb
          .selectFrom(eachChannelVersion(sql`${eb.ref("target.checkpoint")} -> 'channel_versions'`))
          .innerJoin("checkpoint_blobs as blob", (join) =>
            join.onRef("blob.channel", "=", "entry.channel").onRef("blob.version", "=", "entry.version"),
          )
          .where("blob.thread_id", "=", threadId)
          .whereRef("blob.checkpoint_ns", "=", "target.checkpoint_ns")
          .where("blob.type", "<>", sql.lit("empty"))
          .select(sql<string>`json_agg(entry.channel)::text`.as("names"));
        const written = eb
          .selectFrom("checkpoint_writes as write")
          .where("write.thread_id", "=", threadId)
          .whereRef("write.checkpoint_ns", "=", "target.checkpoint_ns")
          .whereRef("write.checkpoint_id", "=", "target.checkpoint_id")
          .select(sql<string>`json_agg(distinct write.channel)::text`.as("names"));
        return [
          sql<string>`${eb.ref("target.checkpoint")}::text`.as("checkpoint"),
          sql<string>`${eb.ref("target.metadata")}::text`.as("metadata"),
          carriedMetadata(eb.ref("target.metadata")).as("carried_metadata"),
          orEmptyList(stored).as("stored"),
          orEmptyList(written).as("written"),
        ];
      }),
);

/**
 * The entries of the metadata that describe only the target: those that LangGraph writes for every checkpoint, and the run that
 * made it. Deleting the checkpoints of that run must not delete the fork.
 */
const TARGET_ENTRIES = ["source", "step", "parents", "writes", "run_id", "counters_since_delta_snapshot"];

/** The other entries, by which an application finds its threads. */
function carriedMetadata(metadata: Expression<unknown>): RawBuilder<string> {
  const names = sql.join(TARGET_ENTRIES.map((name) => sql.lit(name)));
  return sql<string>`(case when jsonb_typeof(${metadata}) = 'object' then ${metadata} - array[${names}] else '{}' end)::text`;
}

function orEmptyList(names: Expression<unknown>): RawBuilder<string> {
  return sql<string>`coalesce((${names}), '[]')`;
}
