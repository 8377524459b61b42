import type { CheckedTombstoneRow } from "./queries/get-tombstone-page.js";
import { error, type FoundProblem } from "./problems.js";

/** The problem of a tombstone whose thread has checkpoints. */
export function problemsOfTombstone({ thread_id: threadId, is_living }: CheckedTombstoneRow): FoundProblem[] {
  if (!is_living) return [];
  const reason =
    "the thread has a tombstone and checkpoints: savers with keepTombstones refuse to continue it";
  return [error("living-tombstone", { threadId, checkpointNs: "" }, reason)];
}
