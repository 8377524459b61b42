import { sql, type SqlBool } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { StatementFamily } from "../../db/statements/statement-family.js";
import type { NamespaceKey } from "../../saver/model/checkpoint-key.js";
import { isUuid6 } from "../../saver/queries/is-uuid6.js";
import type { ThreadNaming } from "../../saver/queries/thread-groups.js";
import {
  givenCheckpoints,
  givenList,
  type GivenOrdinal,
  type GivenParams,
  givenThread,
  runPerNamespace,
  withGiven,
} from "./given-namespaces.js";

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
  const age = cutoff === undefined ? "any" : "aged";
  const given = scopes.map(({ below, ...key }) => ({
    key,
    lists: { below: below === undefined ? [] : [below] },
  }));
  const statements = { of: (naming: ThreadNaming) => candidates.of({ age, naming }) };
  const rows = await runPerNamespace(call, statements, given, { cutoff: cutoff ?? "" });
  return rows.map((each) => each.map(({ checkpoint_id }) => checkpoint_id));
}

interface CandidateParams extends GivenParams {
  readonly cutoff: string;
}

interface CandidateRow extends GivenOrdinal {
  checkpoint_id: string;
}

interface CandidateShape {
  readonly age: "any" | "aged";
  readonly naming: ThreadNaming;
}

const candidates = /* @__PURE__ */ new StatementFamily<CandidateShape, CandidateParams, CandidateRow>(
  ({ age, naming }) =>
    (db, parameter) =>
      withGiven(db, parameter, ["below"])
        .selectFrom("given")
        .innerJoinLateral(
          givenCheckpoints(db, givenThread(naming, parameter))
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
        .orderBy("given.ordinal")
        .orderBy(sql`each.checkpoint_id collate "C"`, "desc"),
);
