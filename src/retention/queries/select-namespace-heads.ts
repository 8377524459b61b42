import { type RawBuilder, sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { StatementFamily } from "../../db/statements/statement-family.js";
import type { NamespaceKey } from "../../saver/model/checkpoint-key.js";
import { migratedColumn } from "../../saver/queries/migrated-column.js";
import type { ThreadNaming } from "../../saver/queries/thread-groups.js";
import {
  GIVEN_NS,
  givenCheckpoints,
  givenNewestFirst,
  type GivenOrdinal,
  type GivenParams,
  givenThread,
  runPerNamespace,
  withGiven,
} from "./given-namespaces.js";

/** The size of a namespace and its newest checkpoints. */
export interface NamespaceHeadRow extends GivenOrdinal {
  checkpoints: number;
  newest_id: string | null;
  /** The oldest of the newest checkpoints that are kept; `null` when the namespace has fewer. */
  oldest_kept_id: string | null;
  /** For a subgraph call, the checkpoints of its parent graphs, from the newest checkpoint's metadata, as JSON text. */
  parents: string | null;
}

/**
 * Reads how many checkpoints each namespace has, and which are the newest.
 *
 * @param keepLast - How many of the newest checkpoints are kept; at least one.
 */
export async function selectNamespaceHeads(
  call: CallContext,
  namespaces: readonly NamespaceKey[],
  keepLast: number,
): Promise<NamespaceHeadRow[]> {
  const given = namespaces.map((key) => ({ key }));
  return (await runPerNamespace(call, heads, given, { newerThanKept: keepLast - 1 })).flat();
}

interface HeadParams extends GivenParams {
  readonly newerThanKept: number;
}

const heads = /* @__PURE__ */ new StatementFamily<ThreadNaming, HeadParams, NamespaceHeadRow>(
  (naming) => (db, parameter) => {
    const threadId = givenThread(naming, parameter);
    const newest = (offset: RawBuilder<number>) =>
      givenNewestFirst(db, threadId).select("stored.checkpoint_id").offset(offset).limit(sql.lit(1));
    const parents = givenNewestFirst(db, threadId)
      .select(sql<string | null>`(stored.metadata -> 'parents')::text`.as("parents"))
      .where(sql<boolean>`strpos(${GIVEN_NS}, ':') > 0`)
      .limit(sql.lit(1));
    const count = givenCheckpoints(db, threadId).select(sql`count(*)::float8`.as("checkpoints"));
    return withGiven(db, parameter)
      .selectFrom("given")
      .select("given.ordinal")
      .select([
        sql<number>`(${count})`.as("checkpoints"),
        sql<string | null>`(${newest(sql<number>`0`)})`.as("newest_id"),
        sql<string | null>`(${newest(sql<number>`${parameter("newerThanKept")}::bigint`)})`.as(
          "oldest_kept_id",
        ),
        sql<string | null>`(${parents})`.as("parents"),
        migratedColumn(db, threadId).as("migrated"),
      ])
      .orderBy("given.ordinal");
  },
);
