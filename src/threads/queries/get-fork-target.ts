import { type Expression, type QueryCreator, type RawBuilder, sql } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import type { Parameter } from "../../db/statements/statement.js";
import { StatementFamily } from "../../db/statements/statement-family.js";
import type { CheckpointKey, NamespaceKey } from "../../saver/model/checkpoint-key.js";
import { eachChannelVersion } from "../../saver/queries/header-parts.js";

/** What has to be known of a checkpoint for another to follow it with its values. */
export interface ForkTargetRow {
  checkpoint_id: string;
  /** As JSON text. */
  checkpoint: string;
  /** As JSON text. */
  metadata: string;
  /** What a fork takes over of it, as JSON text: digits and all, as some are not JavaScript's. */
  carried_metadata: string;
  /** The newest checkpoint of the namespace. */
  head_checkpoint_id: string;
  /** The channels whose values are in blobs, as JSON text. */
  stored: string;
  /** The channels that its tasks have written to, as JSON text. */
  written: string;
}

/** Reads a checkpoint, the newest of the namespace where none is named, without its values. */
export async function getForkTarget(
  call: CallContext,
  { threadId, checkpointNs, checkpointId }: NamespaceKey & Partial<CheckpointKey>,
): Promise<ForkTargetRow | undefined> {
  const shape = checkpointId === undefined ? "newest" : "named";
  const params = { threadId, checkpointNs, checkpointId: checkpointId ?? "" };
  const [row] = await runStatement(call, statements.of(shape, shape), params);
  return row;
}

const statements = /* @__PURE__ */ new StatementFamily<"newest" | "named", CheckpointKey, ForkTargetRow>(
  (shape) => (db, parameter) =>
    withHead(db, parameter)
      .selectFrom("head")
      .innerJoin("checkpoints as target", (join) =>
        shape === "newest"
          ? join.onRef("target.checkpoint_id", "=", "head.checkpoint_id")
          : join.on("target.checkpoint_id", "=", parameter("checkpointId")),
      )
      .where("target.thread_id", "=", parameter("threadId"))
      .where("target.checkpoint_ns", "=", parameter("checkpointNs"))
      .select(["target.checkpoint_id", "head.checkpoint_id as head_checkpoint_id"])
      .select((eb) => {
        const stored = eb
          .selectFrom(eachChannelVersion(sql`${eb.ref("target.checkpoint")} -> 'channel_versions'`))
          .innerJoin("checkpoint_blobs as blob", (join) =>
            join.onRef("blob.channel", "=", "entry.channel").onRef("blob.version", "=", "entry.version"),
          )
          .whereRef("blob.thread_id", "=", "target.thread_id")
          .whereRef("blob.checkpoint_ns", "=", "target.checkpoint_ns")
          .where("blob.type", "<>", sql.lit("empty"))
          .select(sql<string>`json_agg(entry.channel)::text`.as("names"));
        const written = eb
          .selectFrom("checkpoint_writes as write")
          .whereRef("write.thread_id", "=", "target.thread_id")
          .whereRef("write.checkpoint_ns", "=", "target.checkpoint_ns")
          .whereRef("write.checkpoint_id", "=", "target.checkpoint_id")
          .select(sql<string>`json_agg(distinct write.channel)::text`.as("names"));
        return [
          sql<string>`${eb.ref("target.checkpoint")}::text`.as("checkpoint"),
          sql<string>`${eb.ref("target.metadata")}::text`.as("metadata"),
          carriedMetadata(eb.ref("target.metadata")).as("carried_metadata"),
          orNone(stored).as("stored"),
          orNone(written).as("written"),
        ];
      }),
);

function withHead(db: QueryCreator<CheckpointDatabase>, parameter: Parameter<CheckpointKey>) {
  return db.with("head", (qb) =>
    qb
      .selectFrom("checkpoints")
      .select("checkpoint_id")
      .where("thread_id", "=", parameter("threadId"))
      .where("checkpoint_ns", "=", parameter("checkpointNs"))
      .orderBy(sql`checkpoint_id collate "C"`, "desc")
      .limit(sql.lit(1)),
  );
}

/**
 * What the metadata says of the target alone: what LangGraph says of every checkpoint, what its step wrote, and the run that made
 * it. Whoever deletes the checkpoints of that run means none that was made after it.
 */
const OF_TARGET = ["source", "step", "parents", "writes", "run_id", "counters_since_delta_snapshot"];

/** The rest, by which an application finds its threads. */
function carriedMetadata(metadata: Expression<unknown>): RawBuilder<string> {
  const names = sql.join(OF_TARGET.map((name) => sql.lit(name)));
  return sql<string>`(case when jsonb_typeof(${metadata}) = 'object' then ${metadata} - array[${names}] else '{}' end)::text`;
}

function orNone(names: Expression<unknown>): RawBuilder<string> {
  return sql<string>`coalesce((${names}), '[]')`;
}
