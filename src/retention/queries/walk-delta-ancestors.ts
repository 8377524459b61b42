import { type SelectQueryBuilder, sql, type SqlBool } from "kysely";
import type { CheckpointDatabase } from "../../db/checkpoint-database.js";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import type { ChainRow } from "../../saver/queries/delta-row.js";
import { foundSoFar, storedChannels } from "../../saver/queries/get-delta-rows.js";
import { rowVersion } from "../../saver/queries/sent-bytes.js";
import {
  byNamespace,
  GIVEN_NS,
  GIVEN_THREAD,
  type GivenParams,
  givenList,
  givenParams,
  type OfNamespace,
  withGiven,
} from "./given-namespaces.js";
import type { ChannelsKey } from "./select-delta-channels.js";

/** An ancestor that walks for delta channels come past; once for each set of channels that were found before. */
export interface AncestorRow extends ChainRow {
  /** Tells the row from the one that replaces it. */
  version: string;
  /** Whether it has something that is looked for: a value that a walk ends with, or a write. */
  contributes: boolean;
}

/** Where walks for delta channels begin. */
export interface WalkScope extends ChannelsKey {
  readonly frontier: readonly string[];
}

/**
 * Walks from checkpoints of each namespace to their ancestors, as `getDeltaRows` does from one, for each channel as far as
 * the nearest that holds a value of it. Walks that meet and have found the same go on as one.
 */
export async function walkDeltaAncestors(
  call: CallContext,
  scopes: readonly WalkScope[],
): Promise<AncestorRow[][]> {
  if (scopes.length === 0) return [];
  const given = scopes.map(({ frontier, channels, ...key }) => ({ key, lists: { frontier, channels } }));
  return byNamespace(scopes, await runStatement(call, ancestors, givenParams(given)));
}

type WithChain = CheckpointDatabase & { target: ChainRow; chain: ChainRow };

const ancestors = /* @__PURE__ */ new Statement<GivenParams, AncestorRow & OfNamespace>((db, parameter) => {
  const channels = givenList("channels");
  const toParent = (chain: SelectQueryBuilder<WithChain, "chain", object>) =>
    chain
      .innerJoinLateral(
        (eb) =>
          eb
            .selectFrom("checkpoints as ancestor")
            .where("ancestor.thread_id", "=", GIVEN_THREAD)
            .where("ancestor.checkpoint_ns", "=", GIVEN_NS)
            .whereRef("ancestor.checkpoint_id", "=", "chain.parent_checkpoint_id")
            .select((inner) => [
              "ancestor.checkpoint_id",
              "ancestor.parent_checkpoint_id",
              foundSoFar(inner).as("found_before"),
              storedChannels(inner, channels, GIVEN_THREAD, GIVEN_NS, foundSoFar(inner)).as("found"),
            ])
            // Has each looked up by the index, whatever the statistics say.
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
        .where("ancestor.thread_id", "=", GIVEN_THREAD)
        .where("ancestor.checkpoint_ns", "=", GIVEN_NS)
        .where(sql<SqlBool>`ancestor.checkpoint_id = any (${givenList("frontier")})`)
        .select((eb) => [
          "ancestor.checkpoint_id",
          "ancestor.parent_checkpoint_id",
          sql<string[]>`'{}'::text[]`.as("found_before"),
          storedChannels(eb, channels, GIVEN_THREAD, GIVEN_NS).as("found"),
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
          .where("stored.thread_id", "=", GIVEN_THREAD)
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
          .where("write.thread_id", "=", GIVEN_THREAD)
          .where("write.checkpoint_ns", "=", GIVEN_NS)
          .whereRef("write.checkpoint_id", "=", "chain.checkpoint_id")
          .where(sql<SqlBool>`write.channel = any (${channels})`)
          .where(sql<SqlBool>`write.channel <> all (chain.found_before)`)
          .offset(sql.lit(0)),
      )}`.as("contributes"),
    ]);
  return withGiven(db, parameter, ["frontier", "channels"])
    .selectFrom("given")
    .innerJoinLateral(walked.as("each"), (join) => join.onTrue())
    .select([
      "given.n",
      "each.checkpoint_id",
      "each.parent_checkpoint_id",
      "each.found_before",
      "each.found",
      "each.version",
      "each.contributes",
    ]);
});
