import { type SelectQueryBuilder, sql, type SqlBool } from "kysely";
import type { CheckpointDatabase } from "../../../db/checkpoint-database.js";
import type { CheckpointTables } from "../../../db/checkpoint-tables.js";
import { runStatement } from "../../../db/run-statement.js";
import { Statement } from "../../../db/statement.js";
import type { NamespaceKey } from "../../checkpoint-key.js";
import type { ChainRow } from "../delta-row.js";
import { foundSoFar, storedChannels } from "../get-delta-rows.js";
import { rowVersion } from "../sent-bytes.js";

/** An ancestor that walks for delta channels come past; once for each set of channels that were found before. */
export interface AncestorRow extends ChainRow {
  /** Tells the row from the one that replaces it. */
  version: string;
  /** Whether it has something that is looked for: a value that a walk ends with, or a write. */
  contributes: boolean;
}

/**
 * Walks from checkpoints to their ancestors, as `getDeltaRows` does from one, for each channel as far as the nearest that
 * holds a value of it. Walks that meet and have found the same go on as one.
 */
export function walkDeltaAncestors(
  tables: CheckpointTables,
  { threadId, checkpointNs }: NamespaceKey,
  frontier: readonly string[],
  channels: readonly string[],
): Promise<AncestorRow[]> {
  return runStatement(tables, ancestors, { threadId, checkpointNs, frontier, channels });
}

interface WalkParams extends NamespaceKey {
  readonly frontier: readonly string[];
  readonly channels: readonly string[];
}

type WithChain = CheckpointDatabase & { target: ChainRow; chain: ChainRow };

const ancestors = /* @__PURE__ */ new Statement<WalkParams, AncestorRow>((db, parameter) => {
  const threadId = parameter("threadId");
  const checkpointNs = parameter("checkpointNs");
  const channels = sql<string[]>`${parameter("channels")}::text[]`;
  const toParent = (chain: SelectQueryBuilder<WithChain, "chain", object>) =>
    chain
      .innerJoinLateral(
        (eb) =>
          eb
            .selectFrom("checkpoints as ancestor")
            .where("ancestor.thread_id", "=", threadId)
            .where("ancestor.checkpoint_ns", "=", checkpointNs)
            .whereRef("ancestor.checkpoint_id", "=", "chain.parent_checkpoint_id")
            .select((inner) => [
              "ancestor.checkpoint_id",
              "ancestor.parent_checkpoint_id",
              foundSoFar(inner).as("found_before"),
              storedChannels(inner, channels, threadId, checkpointNs, foundSoFar(inner)).as("found"),
            ])
            // Has each looked up by the index, whatever the statistics say.
            .limit(sql.lit(1))
            .as("step"),
        (join) => join.onTrue(),
      )
      .where((eb) => sql<SqlBool>`not ${channels} <@ (${foundSoFar(eb)})`)
      .select(["step.checkpoint_id", "step.parent_checkpoint_id", "step.found_before", "step.found"]);
  return db
    .withRecursive("target", (qb) =>
      qb
        .selectFrom("checkpoints as ancestor")
        .where("ancestor.thread_id", "=", threadId)
        .where("ancestor.checkpoint_ns", "=", checkpointNs)
        .where(sql<SqlBool>`ancestor.checkpoint_id = any (${parameter("frontier")}::text[])`)
        .select((eb) => [
          "ancestor.checkpoint_id",
          "ancestor.parent_checkpoint_id",
          sql<string[]>`'{}'::text[]`.as("found_before"),
          storedChannels(eb, channels, threadId, checkpointNs).as("found"),
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
          .where("stored.checkpoint_ns", "=", checkpointNs)
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
          .where("write.checkpoint_ns", "=", checkpointNs)
          .whereRef("write.checkpoint_id", "=", "chain.checkpoint_id")
          .where(sql<SqlBool>`write.channel = any (${channels})`)
          .where(sql<SqlBool>`write.channel <> all (chain.found_before)`)
          .offset(sql.lit(0)),
      )}`.as("contributes"),
    ]);
});
