import { sql } from "kysely";
import type { CallContext } from "../../db/call-context.js";
import { runStatement } from "../../db/statements/run-statement.js";
import { Statement } from "../../db/statements/statement.js";
import type { NamespaceKey } from "../../saver/model/keys.js";
import { newestCheckpointId } from "../../saver/queries/table-page.js";

/**
 * Finds the ancestor of the newest checkpoint of a namespace by its distance: 0 is the newest itself, 1 its parent. It is one statement for
 * any distance, and reads no header, which may be damaged.
 *
 * @returns The id; `undefined` when the checkpoint has no such ancestor, or when one in between is not stored.
 */
export async function getAncestor(
  call: CallContext,
  key: NamespaceKey,
  steps: number,
): Promise<string | undefined> {
  const [row] = await runStatement(call, ancestor, { ...key, steps });
  return row?.checkpoint_id;
}

interface AncestorParams extends NamespaceKey {
  readonly steps: number;
}

const ancestor = /* @__PURE__ */ new Statement<AncestorParams, { checkpoint_id: string }>((db, parameter) => {
  // A number that a person types may exceed the range of integer.
  const steps = sql<number>`${parameter("steps")}::float8`;
  return db
    .withRecursive("walk", (qb) =>
      qb
        .selectFrom("checkpoints as own")
        .where("own.thread_id", "=", parameter("threadId"))
        .where("own.checkpoint_ns", "=", parameter("checkpointNs"))
        .where("own.checkpoint_id", "=", newestCheckpointId(db, parameter))
        .select(["own.checkpoint_id", "own.parent_checkpoint_id", sql<number>`0`.as("step")])
        .unionAll((recursive) =>
          recursive
            .selectFrom("walk")
            .innerJoin("checkpoints as parent", "parent.checkpoint_id", "walk.parent_checkpoint_id")
            .where("parent.thread_id", "=", parameter("threadId"))
            .where("parent.checkpoint_ns", "=", parameter("checkpointNs"))
            .where("walk.step", "<", steps)
            .select([
              "parent.checkpoint_id",
              "parent.parent_checkpoint_id",
              sql<number>`walk.step + 1`.as("step"),
            ]),
        ),
    )
    .selectFrom("walk")
    .select("walk.checkpoint_id")
    .where("walk.step", "=", steps);
});
