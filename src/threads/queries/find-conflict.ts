import { sql } from "kysely";
import { type BoundStatement, StatementFamily } from "../../db/statements/statement.js";
import { type CopyParams, type CopyShape, HAS_NUMERIC_VERSIONS, targetOnlyHeaders } from "./copied-headers.js";
import type { CopiedThreads } from "./copy-thread-rows.js";

interface Conflict {
  readonly checkpoint_id: string;
}

/** Finds a checkpoint that only the target has, or that has numeric versions there. Then nothing may be copied. */
export function findConflict(
  schema: string,
  { source, target, reencode }: CopiedThreads,
): BoundStatement<Conflict> {
  return conflicts.of({ textVersions: reencode }).bind(schema, { source, target });
}

const conflicts = /* @__PURE__ */ new StatementFamily<CopyShape, CopyParams, Conflict>(
  ({ textVersions }) =>
    (db, parameter) =>
      db
        .selectFrom(
          targetOnlyHeaders(db, parameter)
            .$if(textVersions, (rows) =>
              rows.unionAll((eb) =>
                eb
                  .selectFrom("checkpoints as own")
                  .where("own.thread_id", "=", parameter("target"))
                  .where(HAS_NUMERIC_VERSIONS)
                  .select(["own.checkpoint_ns", "own.checkpoint_id"]),
              ),
            )
            .as("conflict"),
        )
        .select("conflict.checkpoint_id")
        .limit(sql.lit(1)),
);
