import { sql, type SqlBool } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import { StatementFamily } from "../../db/statements/statement-family.js";
import type { NamespaceKey } from "../../saver/model/checkpoint-key.js";
import { isUuid6 } from "../../saver/queries/is-uuid6.js";
import { migratedColumn } from "../../saver/queries/migrated-column.js";
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

/** Which checkpoints of a namespace go. */
export interface DoomedScope extends NamespaceKey {
  /** Those with a smaller id that are old enough; all, however old, where it is `undefined`. */
  readonly below: string | undefined;
}

/**
 * The ids of the checkpoints that go of each namespace, newest first.
 *
 * @param cutoff - Only those whose id, a UUID of version 6, is smaller; of any id where it is `undefined`.
 */
export async function selectDoomed(
  call: CallContext,
  scopes: readonly DoomedScope[],
  cutoff: string | undefined,
): Promise<string[][]> {
  const age = cutoff === undefined ? "any" : "aged";
  const given = scopes.map(({ below, ...key }) => ({
    key,
    lists: { below: below === undefined ? [] : [below] },
  }));
  const rows = await runStatement(call, byRule.of(age, age), {
    ...givenParams(given),
    cutoff: cutoff ?? "",
  });
  return byNamespace(scopes, rows).map((each) => each.map(({ checkpoint_id }) => checkpoint_id));
}

interface RuleParams extends GivenParams {
  readonly cutoff: string;
}

interface IdRow {
  checkpoint_id: string;
}

const byRule = /* @__PURE__ */ new StatementFamily<"any" | "aged", RuleParams, IdRow & OfNamespace>(
  (age) => (db, parameter) =>
    withGiven(db, parameter, ["below"])
      .selectFrom("given")
      .innerJoinLateral(
        (eb) =>
          eb
            .selectFrom("checkpoints as stored")
            .select("stored.checkpoint_id")
            .where("stored.thread_id", "=", GIVEN_THREAD)
            .where("stored.checkpoint_ns", "=", GIVEN_NS)
            .where((inner) => {
              const id = inner.ref("stored.checkpoint_id");
              const isBelow = sql<SqlBool>`${id} collate "C" < (${givenList("below")})[1]`;
              const isOld = sql<SqlBool>`${id} collate "C" < ${parameter("cutoff")} and ${isUuid6(id)}`;
              return inner.or([
                sql<SqlBool>`cardinality(${givenList("below")}) = 0`,
                age === "any" ? isBelow : inner.and([isBelow, isOld]),
              ]);
            })
            .offset(sql.lit(0))
            .as("each"),
        (join) => join.onTrue(),
      )
      .select(["given.n", "each.checkpoint_id"])
      .orderBy("given.n")
      .orderBy(sql`each.checkpoint_id collate "C"`, "desc"),
);

/** A checkpoint of one of the runs, in any thread and namespace. */
export interface RunRow extends IdRow {
  thread_id: string;
  checkpoint_ns: string;
}

/** The checkpoints that the runs have made, namespace by namespace, newest first. */
export function selectOfRuns(call: CallContext, runIds: readonly string[]): Promise<RunRow[]> {
  return runStatement(call, ofRuns, { runIds });
}

const ofRuns = /* @__PURE__ */ new Statement<{ readonly runIds: readonly string[] }, RunRow>(
  (db, parameter) =>
    db
      .selectFrom("checkpoints as stored")
      .select(["stored.thread_id", "stored.checkpoint_ns", "stored.checkpoint_id"])
      .select(migratedColumn(db).as("migrated"))
      // As the optional index has it.
      .where(sql<boolean>`(stored.metadata ->> 'run_id') = any (${parameter("runIds")}::text[])`)
      .orderBy(sql`stored.thread_id collate "C"`)
      .orderBy(sql`stored.checkpoint_ns collate "C"`)
      .orderBy(sql`stored.checkpoint_id collate "C"`, "desc"),
);
