import type { CallContext } from "../../db/call-context.js";
import { StatementFamily } from "../../db/statements/statement.js";
import { givenThread, givenThreads } from "../../retention/queries/per-namespace.js";
import { runPerThread, type ThreadNaming, type ThreadsParams } from "../../saver/queries/thread-groups.js";

/** A checkpoint whose parent is not stored. */
export interface LostParentRow {
  thread_id: string;
  checkpoint_ns: string;
  checkpoint_id: string;
}

/** Reads the checkpoints of the threads whose parents are not stored. */
export function selectLostParents(call: CallContext, threadIds: readonly string[]): Promise<LostParentRow[]> {
  return runPerThread(call, lostParents, threadIds);
}

const lostParents = new StatementFamily<ThreadNaming, ThreadsParams, LostParentRow>(
  (naming) => (db, parameter) => {
    const threadId = givenThread(naming, parameter);
    return db
      .selectFrom(givenThreads(parameter))
      .innerJoinLateral(
        (eb) =>
          eb
            .selectFrom("checkpoints as child")
            .select(["child.checkpoint_ns", "child.checkpoint_id"])
            .where("child.thread_id", "=", threadId)
            .where("child.parent_checkpoint_id", "is not", null)
            .where((where) =>
              where.not(
                where.exists(
                  where
                    .selectFrom("checkpoints as parent")
                    .select("parent.checkpoint_id")
                    .where("parent.thread_id", "=", threadId)
                    .whereRef("parent.checkpoint_ns", "=", "child.checkpoint_ns")
                    .whereRef("parent.checkpoint_id", "=", "child.parent_checkpoint_id"),
                ),
              ),
            )
            .as("lost"),
        (join) => join.onTrue(),
      )
      .select(["given.thread_id", "lost.checkpoint_ns", "lost.checkpoint_id"]);
  },
);
