import { type RawBuilder, sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import type { NamespaceKey } from "../../saver/model/checkpoint-key.js";
import { migratedColumn } from "../../saver/queries/migrated-column.js";
import {
  GIVEN_NS,
  GIVEN_THREAD,
  type GivenParams,
  givenParams,
  type OfNamespace,
  withGiven,
} from "./given-namespaces.js";

/** What a namespace has. */
export interface HeadOfNamespace extends OfNamespace {
  checkpoints: number;
  newest_id: string | null;
  /** The oldest of the newest checkpoints that stay; `null` where there are fewer. */
  oldest_kept_id: string | null;
  /** Of a subgraph call: what the newest checkpoint's metadata tells of the checkpoints that its parents were at. */
  parents: unknown;
}

/**
 * Reads how many checkpoints namespaces have, and which are the newest.
 *
 * @param keepLast - How many of the newest stay: one, or more.
 */
export function selectNamespaceHeads(
  call: CallContext,
  namespaces: readonly NamespaceKey[],
  keepLast: number,
): Promise<HeadOfNamespace[]> {
  const params = givenParams(namespaces.map((key) => ({ key })));
  return runStatement(call, heads, { ...params, newerThanKept: keepLast - 1 });
}

interface HeadParams extends GivenParams {
  readonly newerThanKept: number;
}

const heads = /* @__PURE__ */ new Statement<HeadParams, HeadOfNamespace>((db, parameter) => {
  const given = withGiven(db, parameter);
  const ofNamespace = () =>
    db
      .selectFrom("checkpoints as stored")
      .where("stored.thread_id", "=", GIVEN_THREAD)
      .where("stored.checkpoint_ns", "=", GIVEN_NS);
  const newest = (offset: RawBuilder<number>) =>
    ofNamespace()
      .select("stored.checkpoint_id")
      .orderBy(sql`stored.checkpoint_id collate "C"`, "desc")
      .offset(offset)
      .limit(sql.lit(1));
  const parents = ofNamespace()
    .select(sql`stored.metadata -> 'parents'`.as("parents"))
    .where(sql<boolean>`strpos(${GIVEN_NS}, ':') > 0`)
    .orderBy(sql`stored.checkpoint_id collate "C"`, "desc")
    .limit(sql.lit(1));
  return given
    .selectFrom("given")
    .select("given.n")
    .select([
      sql<number>`(${ofNamespace().select(sql`count(*)::float8`.as("checkpoints"))})`.as("checkpoints"),
      sql<string | null>`(${newest(sql<number>`0`)})`.as("newest_id"),
      sql<string | null>`(${newest(sql<number>`${parameter("newerThanKept")}::bigint`)})`.as(
        "oldest_kept_id",
      ),
      sql`(${parents})`.as("parents"),
      migratedColumn(db).as("migrated"),
    ])
    .orderBy("given.n");
});
