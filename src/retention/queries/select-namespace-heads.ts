import { type RawBuilder, sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import type { NamespaceKey } from "../../saver/model/checkpoint-key.js";
import { migratedColumn } from "../../saver/queries/migrated-column.js";
import {
  GIVEN_NS,
  givenCheckpoints,
  givenNewestFirst,
  type GivenOrdinal,
  type GivenParams,
  givenParams,
  withGiven,
} from "./given-namespaces.js";

/** The size of a namespace and its newest checkpoints. */
export interface NamespaceHeadRow extends GivenOrdinal {
  checkpoints: number;
  newest_id: string | null;
  /** The oldest of the newest checkpoints that are kept; `null` when the namespace has fewer. */
  oldest_kept_id: string | null;
  /** For a subgraph call, the checkpoints of its parent graphs, from the newest checkpoint's metadata. */
  parents: unknown;
}

/**
 * Reads how many checkpoints each namespace has, and which are the newest.
 *
 * @param keepLast - How many of the newest checkpoints are kept; at least one.
 */
export function selectNamespaceHeads(
  call: CallContext,
  namespaces: readonly NamespaceKey[],
  keepLast: number,
): Promise<NamespaceHeadRow[]> {
  const params = givenParams(namespaces.map((key) => ({ key })));
  return runStatement(call, heads, { ...params, newerThanKept: keepLast - 1 });
}

interface HeadParams extends GivenParams {
  readonly newerThanKept: number;
}

const heads = /* @__PURE__ */ new Statement<HeadParams, NamespaceHeadRow>((db, parameter) => {
  const newest = (offset: RawBuilder<number>) =>
    givenNewestFirst(db).select("stored.checkpoint_id").offset(offset).limit(sql.lit(1));
  const parents = givenNewestFirst(db)
    .select(sql`stored.metadata -> 'parents'`.as("parents"))
    .where(sql<boolean>`strpos(${GIVEN_NS}, ':') > 0`)
    .limit(sql.lit(1));
  const count = givenCheckpoints(db).select(sql`count(*)::float8`.as("checkpoints"));
  return withGiven(db, parameter)
    .selectFrom("given")
    .select("given.ordinal")
    .select([
      sql<number>`(${count})`.as("checkpoints"),
      sql<string | null>`(${newest(sql<number>`0`)})`.as("newest_id"),
      sql<string | null>`(${newest(sql<number>`${parameter("newerThanKept")}::bigint`)})`.as(
        "oldest_kept_id",
      ),
      sql`(${parents})`.as("parents"),
      migratedColumn(db).as("migrated"),
    ])
    .orderBy("given.ordinal");
});
