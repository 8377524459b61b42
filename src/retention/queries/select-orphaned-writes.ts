import { sql, type SqlBool } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { StatementFamily } from "../../db/statements/statement-family.js";
import type { NamespaceKey } from "../../saver/model/checkpoint-key.js";
import { isUuid6 } from "../../saver/queries/is-uuid6.js";
import type { ThreadNaming } from "../../saver/queries/thread-groups.js";
import {
  givenCheckpoints,
  givenList,
  givenNewestFirst,
  type GivenOrdinal,
  type GivenParams,
  givenThread,
  givenWrites,
  runPerNamespace,
  withGiven,
} from "./given-namespaces.js";

/** A namespace to search for orphaned writes. */
export interface OrphanScope {
  readonly key: NamespaceKey;
  /** Whether all checkpoints of the namespace count as deleted. Default: false. */
  readonly isEmptied?: boolean | undefined;
}

/**
 * The ids of the checkpoints of each namespace that have writes but no row: they were deleted, or `put` never stored them.
 * Writes may arrive before their checkpoint, so it leaves out recent ids, and ids that would be the newest of the namespace.
 *
 * @param cutoff - Only ids that are UUIDs of version 6 and less than this: other checkpoints may still be stored.
 */
export async function selectOrphanedWrites(
  call: CallContext,
  scopes: readonly OrphanScope[],
  cutoff: string,
): Promise<string[][]> {
  const given = scopes.map(({ key, isEmptied = false }) => ({
    key,
    lists: { emptied: isEmptied ? ["yes"] : [] },
  }));
  const rows = await runPerNamespace(call, orphanedWrites, given, { cutoff });
  return rows.map((each) => each.map(({ checkpoint_id }) => checkpoint_id));
}

interface OrphanParams extends GivenParams {
  readonly cutoff: string;
}

// EXCEPT never becomes a nested loop, however wrong the statistics are.
const orphanedWrites = /* @__PURE__ */ new StatementFamily<
  ThreadNaming,
  OrphanParams,
  { checkpoint_id: string } & GivenOrdinal
>((naming) => (db, parameter) => {
  const threadId = givenThread(naming, parameter);
  const head = givenNewestFirst(db, threadId).select("stored.checkpoint_id").limit(sql.lit(1));
  return withGiven(db, parameter, ["emptied"])
    .selectFrom("given")
    .innerJoinLateral(
      givenWrites(db, threadId)
        .select("write.checkpoint_id")
        .where(sql`write.checkpoint_id collate "C"`, "<", parameter("cutoff"))
        .where((eb) => isUuid6(eb.ref("write.checkpoint_id")))
        .where((eb) =>
          eb.or([
            sql<SqlBool>`cardinality(${givenList("emptied")}) > 0`,
            sql<SqlBool>`coalesce(write.checkpoint_id collate "C" < (${head}), true)`,
          ]),
        )
        .except(givenCheckpoints(db, threadId).select("stored.checkpoint_id"))
        .as("each"),
      (join) => join.onTrue(),
    )
    .select(["given.ordinal", "each.checkpoint_id"]);
});
