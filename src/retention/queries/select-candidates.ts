import { sql, type SqlBool } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import type { NamespaceKey } from "../../saver/model/keys.js";
import { isUuid6 } from "../../saver/queries/header-parts.js";
import { givenCheckpoints, givenList } from "./given-namespaces.js";
import { perNamespaceWith } from "./per-namespace.js";

/** The retention rule for the checkpoints of one namespace. */
export interface CandidateScope extends NamespaceKey {
  /** Selects the checkpoints with smaller ids that are old enough; all, whatever their age, when `undefined`. */
  readonly below: string | undefined;
}

/**
 * The ids of the checkpoints of each namespace that the retention rule selects for deletion, newest first.
 *
 * @param cutoff - Only ids that are UUIDs of version 6 and less than this; any id when `undefined`.
 */
export async function selectCandidates(
  call: CallContext,
  scopes: readonly CandidateScope[],
  cutoff: string | undefined,
): Promise<string[][]> {
  const select = cutoff === undefined ? candidatesOfAnyAge : agedCandidates;
  const rows = await select(call, scopes, { cutoff: cutoff ?? "" });
  return rows.map((each) => each.map(({ checkpoint_id }) => checkpoint_id));
}

const candidatesOfAnyAge = /* @__PURE__ */ candidates("any");
const agedCandidates = /* @__PURE__ */ candidates("aged");

function candidates(age: "any" | "aged") {
  return perNamespaceWith<CandidateScope, { readonly cutoff: string }, { checkpoint_id: string }>(
    { below: ({ below }) => (below === undefined ? [] : [below]) },
    ({ db, given, threadId, parameter }) =>
      given
        .innerJoinLateral(
          givenCheckpoints(db, threadId)
            .select("stored.checkpoint_id")
            .where((eb) => {
              const id = eb.ref("stored.checkpoint_id");
              const isBelow = sql<SqlBool>`${id} collate "C" < (${givenList("below")})[1]`;
              const isOld = sql<SqlBool>`${id} collate "C" < ${parameter("cutoff")} and ${isUuid6(id)}`;
              return eb.or([
                sql<SqlBool>`cardinality(${givenList("below")}) = 0`,
                age === "any" ? isBelow : eb.and([isBelow, isOld]),
              ]);
            })
            .offset(sql.lit(0))
            .as("each"),
          (join) => join.onTrue(),
        )
        .select(["given.ordinal", "each.checkpoint_id"])
        .orderBy(sql`each.checkpoint_id collate "C"`, "desc"),
  );
}
