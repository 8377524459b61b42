import { sql, type SqlBool } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import type { NamespaceKey, CheckpointKey } from "../../saver/model/keys.js";
import { isUuid6 } from "../../saver/queries/header-parts.js";
import { checkpointsOfGiven, givenList, perNamespaceWith, perNamespace } from "./per-namespace.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import { migratedColumn } from "../../saver/queries/select-tuple-rows.js";

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

const candidatesOfAnyAge = candidates("any");
const agedCandidates = candidates("aged");

function candidates(age: "any" | "aged") {
  return perNamespaceWith<CandidateScope, { readonly cutoff: string }, { checkpoint_id: string }>(
    { below: ({ below }) => (below === undefined ? [] : [below]) },
    ({ db, given, threadId, parameter }) =>
      given
        .innerJoinLateral(
          checkpointsOfGiven(db, threadId)
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

/** The indexes, in the list, of the checkpoints that exist. */
export async function selectExisting(
  call: CallContext,
  keys: readonly CheckpointKey[],
): Promise<ReadonlySet<number>> {
  const rows = await existing(call, keys);
  return new Set([...rows.keys()].filter((at) => rows[at]?.length === 1));
}

const existing = perNamespace<CheckpointKey, object>(
  { ids: ({ checkpointId }) => [checkpointId] },
  ({ db, given, threadId }) =>
    given.select("given.ordinal").where((eb) =>
      eb.exists(
        checkpointsOfGiven(db, threadId)
          .select("stored.checkpoint_id")
          .where(sql<SqlBool>`stored.checkpoint_id = any (${givenList("ids")})`)
          // Makes Postgres use the index for each checkpoint, whatever the statistics say.
          .offset(sql.lit(0)),
      ),
    ),
);

/** A checkpoint that one of the runs stored, in any thread and namespace. */
export interface RunCheckpointRow {
  thread_id: string;
  checkpoint_ns: string;
  checkpoint_id: string;
}

/** The checkpoints that the runs stored, namespace by namespace, newest first. */
export function selectCheckpointsOfRuns(
  call: CallContext,
  runIds: readonly string[],
): Promise<RunCheckpointRow[]> {
  return runStatement(call, checkpointsOfRuns, { runIds });
}

const checkpointsOfRuns = new Statement<{ readonly runIds: readonly string[] }, RunCheckpointRow>(
  (db, parameter) =>
    db
      .selectFrom("checkpoints as stored")
      .select(["stored.thread_id", "stored.checkpoint_ns", "stored.checkpoint_id"])
      .select(migratedColumn(db).as("migrated"))
      // The expression of the optional index `run-index`.
      .where(sql<boolean>`(stored.metadata ->> 'run_id') = any (${parameter("runIds")}::text[])`)
      .orderBy(sql`stored.thread_id collate "C"`)
      .orderBy(sql`stored.checkpoint_ns collate "C"`)
      .orderBy(sql`stored.checkpoint_id collate "C"`, "desc"),
);
