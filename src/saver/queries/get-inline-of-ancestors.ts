import { sql, type SqlBool } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import type { CheckpointKey } from "../model/keys.js";

/** The inline value of a channel, as JSON text. */
interface InlineRow {
  channel: string;
  json: string;
}

/**
 * Finds the inline values that a checkpoint lacks. Where a graph doesn't know a channel, Python's saver keeps the version of the channel, and
 * drops an inline value. The header of the nearest ancestor with a value has it, as long as the ancestors have the same version. A channel
 * with a row is empty.
 */
export async function getInlineOfAncestors(
  call: CallContext,
  key: CheckpointKey,
  channels: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await runStatement(call, statement, { ...key, channels });
  return new Map(rows.map(({ channel, json }) => [channel, json]));
}

interface WalkParams extends CheckpointKey {
  readonly channels: readonly string[];
}

interface Walk {
  channel: string;
  version: unknown;
  parent_checkpoint_id: string | null;
  /** The inline value, where the walk ends. */
  value: unknown;
}

const statement = new Statement<WalkParams, InlineRow>((db, parameter) =>
  db
    // UNION, so that the walk also ends on a cycle of damaged rows.
    .withRecursive("walk", (qb) =>
      qb
        .selectFrom("checkpoints as own")
        .innerJoin(
          sql<{ name: string }>`unnest(${parameter("channels")}::text[])`.as<"lacking">(sql`lacking(name)`),
          (join) => join.onTrue(),
        )
        .where("own.thread_id", "=", parameter("threadId"))
        .where("own.checkpoint_ns", "=", parameter("checkpointNs"))
        .where("own.checkpoint_id", "=", parameter("checkpointId"))
        .where((eb) =>
          eb.not(
            eb.exists(
              eb
                .selectFrom("checkpoint_blobs as stored")
                .select("stored.type")
                .where("stored.thread_id", "=", parameter("threadId"))
                .where("stored.checkpoint_ns", "=", parameter("checkpointNs"))
                .whereRef("stored.channel", "=", "lacking.name")
                .where(sql<SqlBool>`stored.version = own.checkpoint -> 'channel_versions' ->> lacking.name`)
                .offset(sql.lit(0)),
            ),
          ),
        )
        .select(["lacking.name as channel", "own.parent_checkpoint_id"])
        .select([
          sql`own.checkpoint -> 'channel_versions' -> lacking.name`.as("version"),
          sql`null::jsonb`.as("value"),
        ])
        .$castTo<Walk>()
        .union((recursive) =>
          recursive
            .selectFrom("walk")
            .innerJoinLateral(
              (eb) =>
                eb
                  .selectFrom("checkpoints as ancestor")
                  .select(["ancestor.checkpoint", "ancestor.parent_checkpoint_id"])
                  .where("ancestor.thread_id", "=", parameter("threadId"))
                  .where("ancestor.checkpoint_ns", "=", parameter("checkpointNs"))
                  .whereRef("ancestor.checkpoint_id", "=", "walk.parent_checkpoint_id")
                  // Makes Postgres use the index for each ancestor, whatever the statistics say.
                  .limit(sql.lit(1))
                  .as("step"),
              (join) => join.onTrue(),
            )
            .where("walk.value", "is", null)
            .where(sql`step.checkpoint -> 'channel_versions' -> walk.channel`, "=", sql.ref("walk.version"))
            .select(["walk.channel", "step.parent_checkpoint_id", "walk.version"])
            .select(sql`step.checkpoint -> 'channel_values' -> walk.channel`.as("value"))
            .$castTo<Walk>(),
        ),
    )
    .selectFrom("walk")
    .where("walk.value", "is not", null)
    .select(["walk.channel", sql<string>`walk.value::text`.as("json")]),
);
