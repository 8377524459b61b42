import { type SelectQueryBuilder, sql, type SqlBool } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import { selectedList } from "../../db/selected-list.js";
import type { ChainRow } from "../../saver/queries/delta-row.js";
import { foundSoFar, storedChannels } from "../../saver/queries/get-delta-rows.js";
import { rowVersion } from "../../saver/queries/sent-row.js";
import { GIVEN_NS, givenList, perNamespace } from "./per-namespace.js";
import type { ChannelsKey } from "./delta-channels.js";

/** An ancestor that a walk visits, once for each set of channels that were found before it. */
export interface AncestorRow extends Pick<ChainRow, "checkpoint_id" | "parent_checkpoint_id"> {
  /** The channels that were found before it, as JSON text. */
  found_before: string;
  /** Those with the channels of its own stored values, as JSON text. */
  found_after: string;
  /** Identifies one physical row version (xmin + ctid). */
  version: string;
  /** Whether it has a stored value of a channel that the walk searches for, or a write to one. */
  contributes: boolean;
}

/** The checkpoints where the walks start, and the delta channels that they search for. */
interface WalkScope extends ChannelsKey {
  readonly startIds: readonly string[];
}

type WithChain = CheckpointDatabase & { target: ChainRow; chain: ChainRow };

/**
 * Walks from the start checkpoints of each namespace to their ancestors, as `getDeltaRows` does from one checkpoint. The walk
 * ends for a channel at the nearest ancestor with a stored value of it. Walks that meet with the same channels found continue
 * as one.
 */
export const walkDeltaAncestors = perNamespace<WalkScope, AncestorRow>(
  { startIds: ({ startIds }) => startIds, channels: ({ channels }) => channels },
  ({ db, given, threadId }) => {
    const channels = givenList("channels");
    const toParent = (chain: SelectQueryBuilder<WithChain, "chain", object>) =>
      chain
        .innerJoinLateral(
          (eb) =>
            eb
              .selectFrom("checkpoints as ancestor")
              .where("ancestor.thread_id", "=", threadId)
              .where("ancestor.checkpoint_ns", "=", GIVEN_NS)
              .whereRef("ancestor.checkpoint_id", "=", "chain.parent_checkpoint_id")
              .select((inner) => [
                "ancestor.checkpoint_id",
                "ancestor.parent_checkpoint_id",
                foundSoFar(inner).as("found_before"),
                storedChannels(inner, channels, threadId, GIVEN_NS, foundSoFar(inner)).as("found"),
              ])
              // Makes Postgres use the index for each ancestor, whatever the statistics say.
              .limit(sql.lit(1))
              .as("step"),
          (join) => join.onTrue(),
        )
        .where((eb) => sql<SqlBool>`not ${channels} <@ (${foundSoFar(eb)})`)
        .select(["step.checkpoint_id", "step.parent_checkpoint_id", "step.found_before", "step.found"]);
    const walked = db
      .withRecursive("target", (qb) =>
        qb
          .selectFrom("checkpoints as ancestor")
          .where("ancestor.thread_id", "=", threadId)
          .where("ancestor.checkpoint_ns", "=", GIVEN_NS)
          .where(sql<SqlBool>`ancestor.checkpoint_id = any (${givenList("startIds")})`)
          .select((eb) => [
            "ancestor.checkpoint_id",
            "ancestor.parent_checkpoint_id",
            sql<string[]>`'{}'::text[]`.as("found_before"),
            storedChannels(eb, channels, threadId, GIVEN_NS).as("found"),
          ]),
      )
      .withRecursive("chain", (qb) =>
        qb
          .selectFrom("target as chain")
          .$call(toParent)
          .union((recursive) => recursive.selectFrom("chain").$call(toParent)),
      )
      .selectFrom("chain")
      .innerJoinLateral(
        (eb) =>
          eb
            .selectFrom("checkpoints as stored")
            .select(rowVersion("stored").as("version"))
            .where("stored.thread_id", "=", threadId)
            .where("stored.checkpoint_ns", "=", GIVEN_NS)
            .whereRef("stored.checkpoint_id", "=", "chain.checkpoint_id")
            .limit(sql.lit(1))
            .as("row"),
        (join) => join.onTrue(),
      )
      .select(["chain.checkpoint_id", "chain.parent_checkpoint_id", "chain.found_before", "chain.found"])
      .select((eb) => [
        "row.version",
        sql<boolean>`cardinality(chain.found) > 0 or ${eb.exists(
          eb
            .selectFrom("checkpoint_writes as write")
            .select("write.idx")
            .where("write.thread_id", "=", threadId)
            .where("write.checkpoint_ns", "=", GIVEN_NS)
            .whereRef("write.checkpoint_id", "=", "chain.checkpoint_id")
            .where(sql<SqlBool>`write.channel = any (${channels})`)
            .where(sql<SqlBool>`write.channel <> all (chain.found_before)`)
            .offset(sql.lit(0)),
        )}`.as("contributes"),
      ]);
    return given
      .innerJoinLateral(walked.as("each"), (join) => join.onTrue())
      .select([
        "given.ordinal",
        "each.checkpoint_id",
        "each.parent_checkpoint_id",
        "each.version",
        "each.contributes",
        selectedList(sql<string[]>`each.found_before`).as("found_before"),
        selectedList(sql<string[]>`each.found_before || each.found`).as("found_after"),
      ]);
  },
);
